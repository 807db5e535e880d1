"""Measure the time of a task relative to forward passes, and the time of the core relative to PyTorch.

The two are measured in turn, because the load of the machine then affects both.
"""

import time
import timeit
from collections.abc import Callable
from importlib.util import find_spec
from statistics import median

import numpy as np


def side_by_side(measure: Callable[..., float], rounds: list[tuple], yardsticks: list[tuple]) -> tuple[float, float]:
    """Measure two things in turn, several times, and return the median of each.

    `measure` returns one measured number. For each round, `rounds` holds its arguments for the first thing, and
    `yardsticks` those for the second. Because the things take turns, a busy moment of the machine affects both.
    """
    pairs = [(measure(*ours), measure(*theirs)) for ours, theirs in zip(rounds, yardsticks, strict=True)]
    ours, theirs = zip(*pairs, strict=True)
    return median(ours), median(theirs)


def forward_passes(task: Callable[[], object]) -> float:
    """Return how many forward passes over eight tokens take as much CPU time as `task`.

    A limit in milliseconds would not work, because machines differ, and one machine differs from hour to hour. The
    function measures `task` and a forward pass five times in turn, and takes the shortest time of each.
    """
    from attention_core import self_attention

    x, *w = np.random.default_rng(0).standard_normal((4, 8, 8))
    mask = np.tri(8, dtype=bool)

    def spent(work: Callable[[], object], number: int) -> float:
        return timeit.timeit(work, number=number, timer=time.process_time) / number

    rounds = [(spent(task, 1), spent(lambda: self_attention(x, *w, mask=mask), 2000)) for _ in range(5)]
    return min(ours for ours, _ in rounds) / min(theirs for _, theirs in rounds)


def show(name: str, ours: float, theirs: float, unit: str = "ms") -> None:
    """Print a line: the name of a measurement, the numbers `ours` and `theirs`, and `ours` divided by `theirs`."""
    print(f"  {name:<30}{ours:>10.3g} {unit}{theirs:>10.3g} {unit}{ours / theirs:>9.2f} ×")


def core_time() -> None:
    """Print how long attention takes in the core and in PyTorch, for two sizes."""
    print("\nThe core: attend with its whole trace, PyTorch's eager attention, ratio")
    if find_spec("torch") is None:
        print("  skipped: PyTorch is not installed")
        return
    for name, shape, dtype in [("16 tokens", (16, 16), np.float64), ("8 × 512 × 64", (8, 512, 64), np.float32)]:
        show(name, *core_beside_torch(shape, dtype))


def core_beside_torch(shape: tuple[int, ...], dtype: type) -> tuple[float, float]:
    """Return the milliseconds that attention takes in the core and in PyTorch, for tensors of this shape and type."""
    import torch  # pyright: ignore[reportMissingImports]

    from attention_core import attend

    q, k, v = np.random.default_rng(0).standard_normal((3, *shape)).astype(dtype)
    tq, tk, tv = map(torch.from_numpy, (q, k, v))
    scale = shape[-1] ** -0.5

    def eager() -> object:
        return torch.softmax(tq @ tk.mT * scale, -1) @ tv

    number = max(1, 4096 // q.size)
    repeats = [[(task, number)] * 30 for task in (lambda: attend(q, k, v), eager)]
    return side_by_side(lambda task, times: 1000 * timeit.timeit(task, number=times) / times, *repeats)
