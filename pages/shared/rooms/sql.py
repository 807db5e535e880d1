"""Import SQLAlchemy only when rooms are used, because the app also runs without it."""

from __future__ import annotations

from types import ModuleType

from attention_core.late_import import late_import


@late_import
def sql() -> ModuleType:
    """Return the module SQLAlchemy. Raises: ImportError if it is not installed."""
    import sqlalchemy

    return sqlalchemy
