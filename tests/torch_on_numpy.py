"""PyTorch's functions made from NumPy's, as far as scripts to take home use them.

PyTorch is too large for some machines. What tensors do not have, such as `copy` and `axis=`, is missing here too.
Gradients are left out.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from importlib.util import find_spec
from io import StringIO
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

KNOWN = {"T", "amax", "clone", "mean", "reshape", "shape", "sum", "swapaxes", "var"}


class Tensor(np.ndarray):
    """An array that has only the attributes of a PyTorch tensor."""

    def __getattribute__(self, name: str) -> Any:
        if name in KNOWN or name.startswith("__"):
            return super().__getattribute__(name)
        raise AttributeError(f"'Tensor' object has no attribute {name!r}")

    def __str__(self) -> str:
        return str(plain(self))

    def sum(self, dim=None, keepdim=False):  # type: ignore[override]
        return tensor_of(plain(self).sum(axis=dim, keepdims=keepdim))

    def mean(self, dim=None, keepdim=False):  # type: ignore[override]
        return tensor_of(plain(self).mean(axis=dim, keepdims=keepdim))

    def amax(self, dim=None, keepdim=False):
        return tensor_of(plain(self).max(axis=dim, keepdims=keepdim))

    def var(self, dim=None, correction=1, keepdim=False):  # type: ignore[override]
        return tensor_of(plain(self).var(axis=dim, ddof=correction, keepdims=keepdim))

    def clone(self):
        return tensor_of(plain(self).copy())


def plain(value: Any) -> Any:
    """Return a tensor as an array of NumPy. In a list or a tuple, each tensor becomes an array."""
    if isinstance(value, list | tuple):
        return type(value)(map(plain, value))
    return value.__array__().view(np.ndarray) if isinstance(value, Tensor) else value


def tensor_of(value: Any) -> Any:
    """Return an array as a tensor. A list of arrays becomes a tuple of tensors."""
    return tuple(map(tensor_of, value)) if isinstance(value, list) else np.asarray(value).view(Tensor)


def with_torch_names(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of NumPy that accepts PyTorch's names of arguments and returns tensors."""

    def torch_function(*given: Any, **named: Any) -> Any:
        words = {"dim": "axis", "dtype": "dtype"}
        return tensor_of(function(*map(plain, given), **{words[name]: value for name, value in named.items()}))

    return torch_function


def assert_close(actual: Any, expected: Any, *, rtol: float, atol: float, equal_nan: bool = False, msg=str) -> None:
    """Fail if two tensors differ by more than the tolerances.

    `msg` is a function that takes NumPy's message and returns the message of the failure.
    """
    try:
        np.testing.assert_allclose(plain(actual), plain(expected), rtol=rtol, atol=atol, equal_nan=equal_nan)
    except AssertionError as error:
        raise AssertionError(msg(str(error))) from None


SAME_NAME = ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tanh", "abs", "sign", "where")
SAME_NAME += ("arange", "stack", "eye", "outer", "diag", "cumsum", "einsum", "tril")
TORCH: Any = ModuleType("torch")
vars(TORCH).update(
    {name: with_torch_names(getattr(np, name)) for name in SAME_NAME},
    tensor=with_torch_names(np.array), as_tensor=with_torch_names(np.asarray), from_numpy=with_torch_names(np.asarray),
    cat=with_torch_names(np.concatenate), chunk=with_torch_names(np.split),
    repeat_interleave=with_torch_names(np.repeat),
    ones=with_torch_names(lambda *size, dtype: np.ones(size, dtype)),
    float64=np.float64, bool=np.bool_, inf=np.inf, nan=np.nan, pi=np.pi,
    linalg=SimpleNamespace(norm=with_torch_names(np.linalg.norm)),
    testing=SimpleNamespace(assert_close=assert_close),
    set_default_dtype=lambda _: None,
)  # fmt: skip


def output_with_torch(text: str) -> str:
    """Run a script for PyTorch, and return what it prints.

    If PyTorch is not installed, the script runs with replacements of PyTorch's functions, which are written with NumPy.
    The part of the script about gradients is then left out.
    """
    if find_spec("torch") is not None:
        return run_script(text)[0]
    proof = r"\n# --- The same by PyTorch itself ---\n.*(?=\nprint\(.*\)\n$)"
    return run_on_numpy(re.sub(proof, "", text, flags=re.DOTALL))[0]


def run_on_numpy(text: str) -> tuple[str, dict[str, Any]]:
    """Run a script for PyTorch, with PyTorch's functions replaced by functions of NumPy.

    Return what the script prints, and its variables by name.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "torch", TORCH)
        return run_script(text)


def run_script(text: str) -> tuple[str, dict[str, Any]]:
    """Run a script. Return what it prints, and its variables by name."""
    names = dict[str, Any]()
    with redirect_stdout(StringIO()) as out:
        exec(compile(text, "script", "exec"), names)
    return out.getvalue(), names
