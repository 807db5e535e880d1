"""An answer of the model, its cache, and how it writes on."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from attention_core.caching import read_only
from attention_core.checks import Array
from attention_core.key_value_cache import KeyValueCache
from attention_core.language_model.model import (
    RIGHT_PARTS,
    BlockTrace,
    LanguageModel,
    ModelTrace,
    Parts,
    layers_of,
    run_block,
    run_model,
)
from attention_core.next_word import cross_entropy
from attention_core.softmax import softmax

LEAK = 1e-2  # a later token that changes an earlier logit by more than this leaks: rounding changes it by less


def losses(model: LanguageModel, tokens: Sequence[int], parts: Parts = RIGHT_PARTS) -> Array:
    """Return the loss of each token after the first, (n − 1,): −ln of the probability that the model gave it."""
    logits = run_model(model, tokens, parts=parts).logits
    return cross_entropy(logits[:-1], tokens[1:]).losses


def losses_from_prefixes(model: LanguageModel, tokens: Sequence[int], parts: Parts = RIGHT_PARTS) -> Array:
    """Return the loss of each token after the first, (n − 1,), if the model never reads a later token.

    The model runs once for each of these tokens, and reads only the tokens before.
    """
    last = [run_model(model, tokens[:n], parts=parts).logits[-1] for n in range(1, len(tokens))]
    return cross_entropy(np.stack(last), tokens[1:]).losses


def losses_from_layer(model: LanguageModel, trace: ModelTrace, layer: int, parts: Parts) -> Array:
    """Return the loss of each token after the first if all layers from `layer` on use the functions `parts`.

    The layers before do not run again, because `trace` has the input of `layer`. The trace must have stored this layer.
    """
    x, places = trace.layers[layer].x, np.arange(len(trace.tokens))
    for number in range(layer, model.n_layers):
        x = run_block(x, model.layer(number), model.settings, places, layer=number, parts=parts).output
    return cross_entropy(model.logits(x)[:-1], trace.tokens[1:]).losses


def leaks(model: LanguageModel, tokens: Sequence[int], parts: Parts = RIGHT_PARTS) -> bool:
    """Return whether the model's prediction after the first token depends on later tokens."""
    whole, part = (run_model(model, tokens[:n], parts=parts).logits[0] for n in (len(tokens), 1))
    return not np.allclose(whole, part, rtol=0, atol=LEAK)


def next_tokens(model: LanguageModel, tokens: Sequence[int], n: int, parts: Parts = RIGHT_PARTS) -> tuple[int, ...]:
    """Return the n tokens with which a model continues a text. The model takes the likeliest token each time."""
    text = list(tokens)
    for _ in range(n):
        text.append(int(run_model(model, text, parts=parts).logits[-1].argmax()))
    return tuple(text[len(tokens) :])


SILENCE = 3.0  # seconds: a visitor who has not asked for this time has left the queue
PAUSE_ALLOWED = 0.5  # seconds of a turn in which the model need not work for the visitor who has the turn
PAUSE_A_SECOND = 2.0  # as many more for each second in which it has worked


@dataclass(slots=True)
class Turns:
    """A queue of visitors. The first visitor may use the model.

    A visitor calls `before` again and again, and `used` after each part of the work. After 3 seconds without a call,
    the visitor is removed from the queue. If the first visitor lets the model rest while others wait, this visitor
    goes to the end of the queue. So a turn is long only if the model works in it.
    """

    clock: Callable[[], float] = time.monotonic
    _heard: dict[Hashable, float] = field(
        default_factory=dict[Hashable, float]
    )  # when each visitor last called `before`, in the order of the queue
    _first: Hashable = None  # who has the turn
    _used: float = 0.0  # seconds that the model has worked in this turn
    _rested: float = 0.0  # seconds that it has rested while others waited, until the last call of the first visitor
    _last: float = 0.0  # when the first visitor last called
    _lock: Lock = field(default_factory=Lock)

    def before(self, visitor: Hashable) -> int:
        """Return how many visitors are before the visitor `visitor` in the queue.

        A new visitor is put at the end of the queue. Every later call keeps the visitor's place.
        """
        with self._lock:
            self._heard[visitor] = now = self.clock()
            for silent in [each for each, heard in self._heard.items() if now - heard > SILENCE]:
                del self._heard[silent]
            self._pass_on(now)
            if visitor == self._first:
                self._rested += (now - self._last) * (len(self._heard) > 1)
                self._last = now
            return list(self._heard).index(visitor)

    def _pass_on(self, now: float) -> None:
        """Give the turn to the next visitor if the first visitor has let the model rest for too long."""
        first = next(iter(self._heard))
        rested = self._rested + now - self._last
        if first == self._first and rested > PAUSE_ALLOWED + PAUSE_A_SECOND * self._used:
            self._heard[first] = self._heard.pop(first)
            first = next(iter(self._heard))
        if first != self._first:
            self._first, self._used, self._rested, self._last = first, 0.0, 0.0, now

    def used(self, visitor: Hashable, seconds: float) -> None:
        """Note that the model has worked for the visitor `visitor` until now, for so many seconds of computing."""
        with self._lock:
            if visitor == self._first:
                self._used, self._last = self._used + seconds, self.clock()

    def leave(self, visitor: Hashable) -> None:
        """Remove the visitor `visitor` from the queue. Do nothing if this visitor is not in the queue."""
        with self._lock:
            self._heard.pop(visitor, None)
            if visitor == self._first:
                self._first = None


BEST = 10  # how many next tokens an answer has at each position


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A text as tokens, how a model should run on this text, and the matrices to store. The `Answer` has the results.

    `parts` are functions, which cannot be compared. So a comparison of two questions ignores `parts`, and each set of
    functions needs a different name in `parts_name`.
    """

    tokens: tuple[int, ...]
    parts_name: str = "right"  # a name for the parts, which tells questions with different parts apart
    parts: Parts = field(default=RIGHT_PARTS, compare=False)  # the functions that compute each layer
    positions: tuple[int, ...] | None = None  # the position of each token; None: 0, 1, 2, …
    weights: bool = False  # whether to store the weights of all heads
    layers: tuple[int, ...] = ()  # the layers whose queries, keys, values and head outputs are stored


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class KeptLayer:
    """The matrices of one layer that an answer stores because the question named this layer."""

    norms: Array  # (n,) the length of each token's residual vector at the input
    q: Array  # (n_heads, n, d_k) rotated by their positions
    k: Array  # (n_kv_heads, n, d_k) rotated by their positions
    v: Array  # (n_kv_heads, n, d_k)
    head_outputs: Array  # (n_heads, n, d_k)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Answer:
    """The tokens that a model expects after each token of a text, and the matrices that the question asked for."""

    tokens: tuple[int, ...]
    losses: Array  # (n − 1,) for each token after the first: −ln of its predicted probability, in nats
    next_tokens: NDArray[np.int64]  # (n, 10) the most likely next tokens at each position, the likeliest first
    probabilities: Array  # (n, 10) the probabilities of these tokens
    log_totals: Array  # (n,) at each position, ln Σ e^score over all tokens of the vocabulary
    weights: Array | None  # (n_layers, n_heads, n, n) the weights of all heads, if the question asked for them
    layers: Mapping[int, KeptLayer]  # the layers that the question named, by their number

    @property
    def bytes(self) -> int:
        """The approximate memory that the answer takes, in bytes."""
        held = [self.losses, self.next_tokens, self.probabilities, *([] if self.weights is None else [self.weights])]
        held += [each for layer in self.layers.values() for each in (layer.q, layer.k, layer.v, layer.head_outputs)]
        return sum(each.nbytes for each in held)


def answer_in_steps(model: LanguageModel, question: Question) -> Generator[int, None, Answer]:
    """Run a model on the text of a question, one layer at a time.

    The generator yields the number of finished layers after each layer. It returns the answer at the end.

    Raises: ValueError for the same reasons as `run_model`.
    """
    x, weights, kept = np.empty(0), list[Array](), dict[int, KeptLayer]()
    for number, trace in enumerate(
        layers_of(model, question.tokens, positions=question.positions, parts=question.parts)
    ):
        x = trace.output
        if question.weights:
            weights.append(trace.heads.weights)
        if number in question.layers:
            kept[number] = _layer_to_keep(trace)
        yield number + 1
    logits = model.logits(x)
    log_totals = _log_sum_exp(logits)
    logs = logits - log_totals[:, None]
    next_tokens = _greatest_columns(logs)
    came = logs[np.arange(len(question.tokens) - 1), question.tokens[1:]]
    return read_only(
        Answer(
            tokens=question.tokens, losses=-came, next_tokens=next_tokens,
            probabilities=np.exp(np.take_along_axis(logs, next_tokens, axis=-1)), log_totals=log_totals,
            weights=np.stack(weights) if weights else None, layers=kept,
        )
    )  # fmt: skip


def answer(model: LanguageModel, question: Question) -> Answer:
    """Run a model on the text of a question, and return the answer.

    Raises: ValueError for the same reasons as `run_model`.
    """
    steps = answer_in_steps(model, question)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def _layer_to_keep(trace: BlockTrace) -> KeptLayer:
    norms = np.linalg.norm(trace.x, axis=-1)
    return KeptLayer(norms=norms, q=trace.q, k=trace.k, v=trace.v, head_outputs=trace.heads.output)


def _greatest_columns(logs: Array) -> NDArray[np.int64]:
    among = np.argpartition(logs, -BEST, axis=-1)[:, -BEST:]
    order = np.argsort(-np.take_along_axis(logs, among, axis=-1), axis=-1)
    return np.take_along_axis(among, order, axis=-1)


def _log_sum_exp(logits: Array) -> Array:
    greatest = logits.max(axis=-1).astype(np.float64)
    return greatest + np.log(np.exp(logits - greatest[:, None]).sum(axis=-1))


MOST_BYTES = 32_000_000


@dataclass(slots=True)
class AnswerCache:
    """The cached answers. If they take too much memory, the least recently used answers are removed."""

    most_bytes: int = MOST_BYTES
    _answers: OrderedDict[Question, Answer] = field(default_factory=OrderedDict[Question, Answer])
    _lock: Lock = field(default_factory=Lock)

    def get(self, question: Question) -> Answer | None:
        """Return the answer to a question, or None if it is not stored."""
        with self._lock:
            if question in self._answers:
                self._answers.move_to_end(question)
            return self._answers.get(question)

    def keep(self, question: Question, answer: Answer) -> None:
        """Store an answer. If all answers take more than `most_bytes`, remove the least recently used answers."""
        with self._lock:
            self._answers[question] = answer
            while len(self._answers) > 1 and self.bytes > self.most_bytes:
                self._answers.popitem(last=False)

    def forget(self) -> None:
        """Remove all answers from the cache."""
        with self._lock:
            self._answers.clear()

    @property
    def bytes(self) -> int:
        """The memory that all stored answers take, in bytes."""
        return sum(answer.bytes for answer in self._answers.values())


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ReadSoFar:
    """The tokens that a model has read, with the keys and values that it needs to read more tokens."""

    tokens: tuple[int, ...]
    caches: tuple[KeyValueCache, ...]  # one for each layer
    rows: Array  # (n_layers + 1, d_model) the row of the last token at the input, and then after each layer
    logits: Array  # (size of the vocabulary,) the score of each token as the next token

    @property
    def bytes(self) -> int:
        """The memory that the stored keys and values take, in bytes."""
        return sum(cache.k.nbytes + cache.v.nbytes for cache in self.caches)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Growth:
    """The next tokens that a model would predict if it ended after 0, 1, 2, … layers."""

    best: NDArray[np.int64]  # (n_layers + 1,) the likeliest token at the input, and then after each layer
    chances: Array  # (n_layers + 1,) the probability of this token
    of_the_last: Array  # (n_layers + 1,) the probability of the last layer's likeliest token


def read_in_steps(
    model: LanguageModel, tokens: Sequence[int], so_far: ReadSoFar | None = None
) -> Generator[int, None, ReadSoFar]:
    """Let a model read `tokens` after the tokens of `so_far`, one layer at a time.

    The generator yields the number of finished layers after each layer. At the end it returns the keys and values of
    all tokens. `so_far` has the keys and values of the earlier tokens, so only the new tokens pass through the layers.

    Raises: ValueError for the same reasons as `run_model`.
    """
    caches, rows = list[KeyValueCache](), list[Array]()
    for number, trace in enumerate(layers_of(model, tokens, past=so_far.caches if so_far else ())):
        rows.extend([trace.x[-1]] * (number == 0))
        rows.append(trace.output[-1])
        caches.append(KeyValueCache(trace.k, trace.v))
        yield number + 1
    before = so_far.tokens if so_far else ()
    return ReadSoFar(
        tokens=(*before, *tokens), caches=tuple(caches), rows=np.stack(rows), logits=model.logits(rows[-1][None])[0]
    )


def read_more_tokens(model: LanguageModel, tokens: Sequence[int], so_far: ReadSoFar | None = None) -> ReadSoFar:
    """Let a model read `tokens` after the tokens of `so_far`. Return the keys and values of all these tokens.

    Raises: ValueError for the same reasons as `run_model`.
    """
    steps = read_in_steps(model, tokens, so_far)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def growth_of(model: LanguageModel, rows: Array) -> Growth:
    """Return the next tokens that a model would predict if it ended after 0, 1, 2, … layers.

    `rows` has the row of the text's last token after 0, 1, 2, … layers.

    Shapes: rows (n_layers + 1, d_model).
    Source: nostalgebraist 2020, “interpreting GPT: the logit lens”; Belrose et al. 2023, arXiv:2303.08112.
    """
    chances = softmax(model.logits(rows))
    best = chances.argmax(axis=-1)
    return Growth(best=best, chances=chances.max(axis=-1), of_the_last=chances[:, best[-1]])
