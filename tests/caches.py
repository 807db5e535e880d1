"""The values in shared caches: `python tests/caches.py` fills all caches and prints what they contain.

It runs in its own process, because it must replace `lru_cache` before the modules of the app are imported.
"""

from __future__ import annotations

import asyncio
import functools
import json
import os
import sys
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
OURS = ("attention_core", "pages")
PATH = tomllib.loads((ROOT / "pages/path/screens.toml").read_text("utf-8"))["screen"]
# Every view of every page is opened. These links open states that compute something more.
LINKS: list[tuple[str, dict[str, str]]] = [
    ("attention", {"step": "5", "task": "1", "mistake": "scores_as_weights"}),
    ("attention", {"step": "4", "look": "cost"}),
    ("training_step", {"wrong": "keys_transposed"}),
    ("your_sentence", {"source": "model"}),
    ("your_sentence", {"source": "cat", "positions": "on", "look": "drawn"}),
    ("your_sentence", {"look": "computed", "scene": "1"}),
    ("induction_head", {"look": "second", "scene": "1"}),
    *(("real_model", {"look": look, "guess": "capitals-2"}) for look in ("mistakes", "causes", "heads")),
    ("next_word", {"look": "loss", "scene": "7"}),
    ("check_my_matrix", {"answer": "[[1 2] [3 4]]"}),
    ("check_my_matrix", {"answer": "[[1 two]]"}),
    ("check_my_matrix", {"answer": "Q = [[1, 2]]\nK = [[1, 2]]"}),
    ("check_my_matrix", {"example": "hand", "asked": "output", "answer": "1.11 2.22\n3.33 4.44\n5.55 6.67"}),
    ("check_my_matrix", {"example": "hand", "asked": "q", "answer": "0 -1 1 0\n0 1 2 0\n1 -2 0 1"}),  # a correct answer
    ("check_my_matrix", {"example": "translation", "asked": "mixed", "answer": "[[1.11 2.22]]"}),
    *(("path", {"screen": each["name"], "guesses": f"{each['name']}S"}) for each in PATH),
]

# Containers in which modules store something for all visitors that no cache can hold, because it comes from a file, a
# visitor or the running server.
KEPT_BY_HAND = {
    "pages.induction_head.live": {"_TRAINED", "_MEASURED"},
    "pages.shared.frame.rehearsal": {"_BEGINNINGS"},
    "pages.shared.model_access.asking": {"_OPENED"},
}

handed_out: dict[str, list[Any]] = defaultdict(list)
_lru_cache = functools.lru_cache


def recording_cache(maxsize: Any = 128, typed: bool = False) -> Any:
    """Do what `functools.lru_cache` does, and also add each result of a function to the dictionary `handed_out`.

    Only results of the app's own functions are added. Functions in late_import.py return modules, which are not added.
    """
    if callable(maxsize):
        return recording_cache()(maxsize)

    def decorate(function: Callable[..., Any]) -> Any:
        late = Path(function.__code__.co_filename).name == "late_import.py"
        if late or not function.__module__.startswith(OURS):
            return _lru_cache(maxsize, typed)(function)
        results = handed_out[f"{function.__module__}.{function.__qualname__}"]

        @functools.wraps(function)
        def noted(*args: Any, **kwargs: Any) -> Any:
            results.append(function(*args, **kwargs))
            return results[-1]

        return _lru_cache(maxsize, typed)(noted)

    return decorate


def reachable(value: Any, seen: set[int]) -> Iterator[Any]:
    """Yield a value and everything that it contains: its items, its fields, and in turn whatever these contain.

    `seen` holds the ids of values that were yielded before. They are not yielded again.
    """
    if id(value) in seen or isinstance(value, str | bytes | type | ModuleType):
        return
    seen.add(id(value))
    yield value
    for part in _parts(value):
        yield from reachable(part, seen)


def is_writable(value: Any) -> bool:
    """Return whether a value is an array whose numbers can be changed."""
    return isinstance(value, np.ndarray) and value.flags.writeable


def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        yield from value.values()
    elif isinstance(value, list | tuple | set | frozenset):
        yield from value
    elif is_dataclass(value):
        yield from (getattr(value, field.name) for field in fields(value))
    elif not callable(value):
        yield from getattr(value, "__dict__", {}).values()


def fill() -> None:
    """Fill the caches: open all pages, and compute every exhibit of “Spot the bug” and one task of each kind."""
    from attention_core.language_model.mistakes import CANDIDATES
    from attention_core.mistakes.engine.pipelines import ROTARY
    from attention_core.museum import EXHIBITS
    from attention_core.tasks.recipes import RECIPES
    from attention_core.tasks.seeded import task
    from pages.shared.class_questions.questions import question_of
    from pagesutil import KINDS, looks_of
    from simulating import open_page, with_open_mistakes

    views = [(page, link) for page in KINDS for link in [{"look": look} for look in looks_of(page)] or [{}]]
    for page, link in [*views, *LINKS]:
        assert not open_page(page, **link).exception, page
    assert not with_open_mistakes(open_page("attention"), "attention").exception
    for exhibit in EXHIBITS:
        exhibit.outcome()
    for concept in RECIPES:
        task(concept, 1)
    question_of("task:attention.1.1").outcome('[["1","2","3"],["4","5","6"]]')
    question_of("number:attention.1.1").outcome("1")
    for mistake in CANDIDATES:
        mistake.lines_in(ROTARY)


def ask_a_model() -> None:
    """Let a small language model read a text, which fills the caches of the model."""
    from attention_core.language_model.gguf import SETTING
    from language_models import MATRICES, SETTINGS, write
    from simulating import after_the_answer, open_page

    with TemporaryDirectory() as folder:
        os.environ[SETTING] = str(write(Path(folder) / "toy.gguf", SETTINGS, MATRICES, {}))
        assert not after_the_answer(open_page("real_heads", text="own", own="the the")).exception
        del os.environ[SETTING]


def keep_a_training() -> None:
    """Start a small training, and store its models as the app does."""
    from attention_core.induction.training import start
    from pages.induction_head import live as models

    models.store_models(start(0, 2))


def keep_a_beginning() -> None:
    """Let the app keep the beginning of a page, from what its server sends: the question, and the first text."""
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

    from pages.shared.frame import rehearsal

    async def beginning_of(_: str) -> tuple[rehearsal.Part, ...]:
        listener = rehearsal.Listener()
        for row, text in enumerate(("# What does the scale do?", "It makes scores smaller.")):
            message = ForwardMsg()
            message.metadata.delta_path[:] = (0, row)
            message.delta.new_element.markdown.body = text
            listener.write_forward_msg(message)
        return tuple(rehearsal._beginning(listener))

    rehearsal.beginning_of = beginning_of
    asyncio.run(rehearsal.rehearse())


def main() -> None:
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    functools.lru_cache = recording_cache  # type: ignore[assignment]
    functools.cache = recording_cache(maxsize=None)  # type: ignore[assignment]
    fill()
    ask_a_model()
    keep_a_training()
    keep_a_beginning()
    for name, containers in KEPT_BY_HAND.items():
        for container in containers:
            handed_out[f"{name}.{container}"].extend(vars(sys.modules[name])[container].values())
    held = {name: [*reachable(results, set())] for name, results in handed_out.items()}
    unused = sorted(name for name, results in handed_out.items() if not results)
    writable = sorted(name for name, values in held.items() if any(map(is_writable, values)))
    errors = sorted(name for name, values in held.items() if any(isinstance(v, BaseException) for v in values))
    arrays = sum(isinstance(value, np.ndarray) for values in held.values() for value in values)
    print(json.dumps({"unused": unused, "writable": writable, "errors": errors, "arrays": arrays}))


if __name__ == "__main__":
    main()
