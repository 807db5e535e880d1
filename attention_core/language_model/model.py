"""The real language model: a head, a block, all layers."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention_core.attention import AttentionTrace
from attention_core.checks import Array
from attention_core.feed_forward import SwigluTrace, swiglu
from attention_core.heads import merge_heads, split_heads
from attention_core.key_value_cache import KeyValueCache
from attention_core.language_model.gguf import ModelFile, ModelFileError, read_file, unpack_in_memory
from attention_core.language_model.tokens import Vocabulary, vocabulary_of
from attention_core.next_word import unembed
from attention_core.normalization import residual, rms_norm
from attention_core.positions import rope
from attention_core.projection import project


class Head(NamedTuple):
    """A head of a model: the number of its layer, and its number in the layer. Both count from 0."""

    layer: int
    head: int

    @property
    def name(self) -> str:
        """The name of the head as research papers write it, such as L16H0."""
        return f"L{self.layer}H{self.head}"

    def __str__(self) -> str:
        """Return the name of the head."""
        return self.name


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BlockWeights:
    """The learned matrices of one layer."""

    norm: Array  # (d_model,)
    w_q: Array  # (d_model, n_heads · d_k)
    w_k: Array  # (d_model, n_kv_heads · d_k)
    w_v: Array  # (d_model, n_kv_heads · d_k)
    w_o: Array  # (n_heads · d_k, d_model)
    norm_of_mlp: Array  # (d_model,)
    w_gate: Array  # (d_model, d_hidden)
    w_up: Array  # (d_model, d_hidden)
    w_down: Array  # (d_hidden, d_model)


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerSettings:
    """The settings that all layers of a model share."""

    n_heads: int
    n_kv_heads: int
    base: float  # the base of RoPE
    eps: float  # the eps of RMSNorm


LayerChange = Callable[[int, Array], Array]  # (number of the layer, outputs of its heads) → the outputs to use instead


def keep_heads(layer: int, heads: Array) -> Array:
    """Return `heads`, the outputs of the heads of a layer, without any change."""
    return heads


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class HeadsTrace:
    """Every step of the heads of one layer, from the normalised rows to the sum that the layer adds to its input."""

    q: Array  # (n_heads, n, d_k) rotated by their positions
    k: Array  # (n_kv_heads, n_k, d_k) rotated by their positions; keys of earlier tokens come first
    v: Array  # (n_kv_heads, n_k, d_k)
    heads: AttentionTrace  # (n_heads, …)
    concat: Array  # (n, n_heads · d_k)
    mixed: Array  # (n, d_model) the sum that all heads add to the rows


def grouped_attention(
    layer: int,
    normed: Array,
    w: BlockWeights,
    settings: LayerSettings,
    positions: NDArray[np.integer[Any]],
    change: LayerChange = keep_heads,
    past: KeyValueCache | None = None,
) -> HeadsTrace:
    """Compute the attention of all heads of a layer. Each token attends to the tokens so far.

    Several heads may share keys and values. RoPE rotates queries and keys by their positions. `change` replaces the
    outputs of the heads, (n_heads, n, d_k), before they are merged. `past` has the keys and values of earlier tokens.

    Shapes: normed (n, d_model), positions (n,) → mixed (n, d_model).
    Raises: ValueError if the shapes of two multiplied matrices do not fit.
    Source: Ainslie et al. 2023, arXiv:2305.13245; Su et al. 2021, arXiv:2104.09864.
    """
    q = split_heads(project(normed, w.w_q), settings.n_heads)
    k = split_heads(project(normed, w.w_k), settings.n_kv_heads)
    v = split_heads(project(normed, w.w_v), settings.n_kv_heads)
    q, k = (rope(each, positions, base=settings.base, interleaved=True) for each in (q, k))
    cache = past.extended(k, v) if past else KeyValueCache(k, v)
    heads = cache.attend(q)
    concat = merge_heads(change(layer, heads.output))
    return HeadsTrace(q=q, k=cache.k, v=cache.v, heads=heads, concat=concat, mixed=project(concat, w.w_o))


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The functions that compute a layer. An experiment or a mistake replaces one of these functions."""

    attention: Callable[..., HeadsTrace] = grouped_attention  # a replacement needs the same arguments and result
    change: LayerChange = keep_heads


RIGHT_PARTS = Parts()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BlockTrace(HeadsTrace):
    """Every intermediate result of one layer."""

    x: Array  # (n, d_model) the residual stream at the input
    normed: Array  # (n, d_model) the normalised input
    summed: Array  # (n, d_model) x + mixed
    mlp: SwigluTrace  # the gated perceptron on the normalised sum
    output: Array  # (n, d_model) summed + the output of the gated perceptron


def run_block(
    x: Array,
    w: BlockWeights,
    settings: LayerSettings,
    positions: NDArray[np.integer[Any]],
    *,
    layer: int = 0,
    parts: Parts = RIGHT_PARTS,
    past: KeyValueCache | None = None,
) -> BlockTrace:
    """Run one layer: add the output of all heads to each row, and then the output of a gated perceptron.

    summed = x + heads(rms_norm(x)) w_o,  output = summed + swiglu(rms_norm(summed))

    `layer` is the number of the layer. `parts` are the functions that compute the layer. `past` has the keys and values
    of earlier tokens.

    Shapes: x (n, d_model), positions (n,) → (n, d_model).
    Raises: ValueError if the shapes of two multiplied matrices do not fit.
    Source: Touvron et al. 2023, arXiv:2302.13971, section 2.2; Ainslie et al. 2023, arXiv:2305.13245, for the heads
            that share keys and values.
    """
    normed = rms_norm(x, w.norm, settings.eps)
    cached = {"past": past} if past else {}
    attended = parts.attention(layer, normed, w, settings, positions, parts.change, **cached)
    summed = residual(x, attended.mixed)
    mlp = swiglu(rms_norm(summed, w.norm_of_mlp, settings.eps), w.w_gate, w.w_up, w.w_down)
    return BlockTrace(
        x=x, normed=normed, q=attended.q, k=attended.k, v=attended.v, heads=attended.heads, concat=attended.concat,
        mixed=attended.mixed, summed=summed, mlp=mlp, output=residual(summed, mlp.output),
    )  # fmt: skip


FAMILY = "llama"
FLOAT_BYTES = 4  # the size of an unpacked number
MOST_ROWS = 1024  # rows of the vocabulary to unpack at once, so that they fit into a processor's cache
_MATRICES = {
    "w_q": "attn_q", "w_k": "attn_k", "w_v": "attn_v", "w_o": "attn_output",
    "w_gate": "ffn_gate", "w_up": "ffn_up", "w_down": "ffn_down",
}  # fmt: skip
_NORMS = {"norm": "attn_norm", "norm_of_mlp": "ffn_norm"}


@dataclass(frozen=True, slots=True, eq=False)
class LanguageModel:
    """A model whose layers are unpacked one by one, when they are used."""

    file: ModelFile
    vocabulary: Vocabulary
    settings: LayerSettings
    n_layers: int

    def layer(self, number: int) -> BlockWeights:
        """Unpack the matrices of one layer. The first layer has the number 0."""
        matrices = {name: self._packed_matrix(number, each).rows().T for name, each in _MATRICES.items()}
        norms = {name: self._packed_matrix(number, each).rows() for name, each in _NORMS.items()}
        return BlockWeights(**matrices, **norms)

    def embed(self, tokens: Sequence[int]) -> Array:
        """Return the embedding of each token: (n, d_model)."""
        return self.file.matrix("token_embd.weight").rows(np.asarray(tokens))

    def logits(self, x: Array) -> Array:
        """Return the score of each possible next token: rows (n, d_model) → (n, size of the vocabulary)."""
        normed = rms_norm(x, self.file.matrix("output_norm.weight").rows(), self.settings.eps)
        last = self.file.matrix("output.weight" if "output.weight" in self.file.matrices else "token_embd.weight")
        starts = range(0, last.shape[0], MOST_ROWS)
        return np.concatenate([unembed(normed, last.rows(slice(at, at + MOST_ROWS))) for at in starts], axis=-1)

    def _packed_matrix(self, layer: int, name: str) -> Any:
        return self.file.matrix(f"blk.{layer}.{name}.weight")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ModelTrace:
    """The result of a model for one text: the weights of all heads, chosen layers, and the scores of next tokens."""

    tokens: tuple[int, ...]
    weights: Array  # (n_layers, n_heads, n, n) the weights of all heads
    layers: Mapping[int, BlockTrace]  # the layers that the caller asked for, by their number
    output: Array  # (n, d_model) the output of the last layer
    logits: Array  # (n, size of the vocabulary) after each token, the score of each possible next token


def open_model(path: str | Path) -> LanguageModel:
    """Open a model of the Llama family. This reads only the beginning of its file.

    Raises: ModelFileError if the file is not a whole GGUF file, has another family, or has unknown numbers.
    """
    file = read_file(path)
    if (family := file.setting("general.architecture")) != FAMILY:
        raise ModelFileError(
            f"A model must be of the family “{FAMILY}”, but this one is of “{family}”. Take a model of this family."
        )
    settings = LayerSettings(
        n_heads=file.setting("llama.attention.head_count"),
        n_kv_heads=file.setting("llama.attention.head_count_kv"),
        base=file.settings.get("llama.rope.freq_base", 10_000.0),
        eps=file.setting("llama.attention.layer_norm_rms_epsilon"),
    )
    return LanguageModel(file, vocabulary_of(file), settings, file.setting("llama.block_count"))


def unpacked_model(model: LanguageModel) -> LanguageModel:
    """Return the same model with all its matrices unpacked in memory.

    The unpacked model is several times as fast, but needs 4 bytes for each number.
    """
    return replace(model, file=unpack_in_memory(model.file))


def partly_unpacked_model(model: LanguageModel, most_bytes: int) -> LanguageModel:
    """Return the same model with as many matrices unpacked in memory as fit into `most_bytes`.

    The matrices are unpacked in the order in which the model uses them. For one token, the model uses every matrix
    once, so each unpacked matrix saves the same time per byte.
    """
    room, names = most_bytes, list[str]()
    for name in sorted(model.file.matrices, key=_order_of_use):
        size = math.prod(model.file.matrices[name].shape) * FLOAT_BYTES
        if size <= room:
            names.append(name)
            room -= size
    return replace(model, file=unpack_in_memory(model.file, names))


def _order_of_use(name: str) -> tuple[bool, int]:
    _, number, *_ = f"{name}.".split(".")
    return not number.isdecimal(), int(number) if number.isdecimal() else 0


def run_model(
    model: LanguageModel,
    tokens: Sequence[int],
    *,
    keep: Collection[int] = (),
    positions: Sequence[int] | None = None,
    parts: Parts = RIGHT_PARTS,
) -> ModelTrace:
    """Run a model on tokens, and compute the score of each possible next token after each of these tokens.

    The trace stores every intermediate result of the layers in `keep`. `positions` are 0, 1, 2, … unless given. `parts`
    are the functions that compute each layer.

    Shapes: n tokens → logits (n, size of the vocabulary).
    Raises: ValueError if there is no token, or the vocabulary does not have a token.
    """
    x, weights, kept = np.empty(0), list[Array](), dict[int, BlockTrace]()
    for number, trace in enumerate(layers_of(model, tokens, positions=positions, parts=parts)):
        x = trace.output
        weights.append(trace.heads.weights)
        if number in keep:
            kept[number] = trace
    return ModelTrace(tokens=tuple(tokens), weights=np.stack(weights), layers=kept, output=x, logits=model.logits(x))


def layers_of(
    model: LanguageModel,
    tokens: Sequence[int],
    *,
    positions: Sequence[int] | None = None,
    parts: Parts = RIGHT_PARTS,
    past: Sequence[KeyValueCache] = (),
) -> Iterator[BlockTrace]:
    """Run a model on tokens, one layer after the other. A layer runs when the caller asks for the next trace.

    `past` has the keys and values of earlier tokens, one cache for each layer, or is empty if there are no earlier
    tokens. Without `positions`, the tokens get the positions after those of the earlier tokens.

    Raises: the errors of `run_model`, when the first layer is asked for.
    """
    size = len(model.vocabulary.tokens)
    if not len(tokens) or not all(0 <= token < size for token in tokens):
        raise ValueError(f"tokens must be one or more numbers from 0 to {size - 1}; got {list(tokens)}: encode a text.")
    first = past[0].n if past else 0
    places = np.arange(first, first + len(tokens)) if positions is None else np.asarray(positions)
    x = model.embed(tokens)
    for number in range(model.n_layers):
        before = past[number] if past else None
        trace = run_block(x, model.layer(number), model.settings, places, layer=number, parts=parts, past=before)
        yield trace
        x = trace.output
