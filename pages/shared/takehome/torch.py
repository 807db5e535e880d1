"""Write the script in PyTorch: the same text with PyTorch's names in place of NumPy's."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from pages.shared.takehome.screen import ShownPage
from pages.shared.takehome.script import script

SHOW = '''\
def show(name, value, on_the_page=None, near=1e-9):
    """Print what was computed, and stop if the page shows something else."""
    print(f"{name} =\\n{value}\\n")
    if on_the_page is not None:
        torch.testing.assert_close(torch.as_tensor(value), torch.tensor(on_the_page, dtype=torch.float64),
                                   rtol=1e-9, atol=near, equal_nan=True, msg=lambda text: f"{name}: {text}")
'''
# NumPy's names and PyTorch's, in the order in which they are replaced.
NAMES = (
    (r"np\.array\(", "torch.tensor("),
    (r", dtype=float\)", ", dtype=torch.float64)"),
    (r"np\.tri\((.+?), dtype=bool\)", r"torch.tril(torch.ones(\1, dtype=torch.bool))"),
    (r"np\.sqrt\(", "math.sqrt("),
    (r"np\.split\(", "torch.chunk("),
    (r"np\.concatenate\(", "torch.cat("),
    (r"np\.repeat\(", "torch.repeat_interleave("),
    (r"\.max\(axis=", ".amax(axis="),
    (r"\.var\(axis=", ".var(correction=0, axis="),  # PyTorch would divide by n − 1
    (r"\.copy\(\)", ".clone()"),
    (r"np\.(exp|exp2|expm1|log|log2|log10|log1p|sin|cos|tanh|abs|sign)\b", r"torch.\1"),
    (r"np\.(where|arange|stack|eye|outer|diag|cumsum|einsum|linalg|pi|inf|nan)\b", r"torch.\1"),
    (r"\baxis(?=[=,)])", "dim"),
    (r"\bkeepdims\b", "keepdim"),
)


def torch_script(screen: ShownPage) -> str:
    """Return the text of the script in PyTorch instead of NumPy.

    Random numbers are still drawn by NumPy, so that the script has the same numbers.

    Raises: ValueError if the code makes sense only in NumPy.
    """
    if screen.code.only_numpy:
        raise ValueError(f"PyTorch is not for this code; got {screen.stem}: {screen.code.only_numpy}")
    text = _with_proof(script(_without_asides(screen)), screen.code.autograd[screen.columns])
    text = re.sub(r"def show\(.*?err_msg=name\)\n", lambda _: SHOW, text, flags=re.S)
    text = re.sub(r"np\.(?:set_printoptions|seterr).*\n", "", text)
    drawn = screen.code.start(screen.columns) if screen.code.drawn else ""
    before, _, after = text.partition(drawn) if drawn else ("", "", text)
    written = [name for name, value in screen.code.given.items() if isinstance(value, np.ndarray)]
    names = ", ".join([*written, *screen.code.drawn_names])
    tensors = (
        f"{drawn}\n{names} = map(torch.from_numpy, ({names}))   # the same numbers, drawn by NumPy" if drawn else ""
    )
    text = _translate(before) + tensors + _translate(after)
    modules = "import math\n\n" * ("math.sqrt(" in text) + "import numpy as np\n" * bool(drawn) + "import torch\n"
    text = text.replace("import numpy as np\n", modules + "\ntorch.set_default_dtype(torch.float64)\n", 1)
    return text.replace(
        "needs Python and NumPy alone", "needs PyTorch alone" if not drawn else "needs PyTorch and NumPy"
    )


def _with_proof(text: str, proof: str) -> str:
    """Return the script with the code `proof` before its last line. The code is a check that only PyTorch can make."""
    before, last = text.rstrip("\n").rsplit("\n", 1)
    return f"{before}\n# --- The same by PyTorch itself ---\n\n{proof}\n\n{last}\n" if proof else text


def _translate(text: str) -> str:
    for ours, theirs in NAMES:
        text = re.sub(ours, theirs, text)
    return text


def _without_asides(screen: ShownPage) -> ShownPage:
    blocks = tuple(block for block in screen.code.blocks if not block.aside)
    return replace(screen, code=replace(screen.code, blocks=blocks))
