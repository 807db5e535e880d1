"""Mistakes with masks: a mask that the task does not have, and masks with another number than −∞."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from attention_core.mistakes.engine.mistake import Mistake, has_mask
from attention_core.mistakes.engine.named_traces import mask_from_code
from attention_core.mistakes.rare.entry import RareMistakes, diagnosis_mistake, shows_always
from attention_core.mistakes.rare.table_of_masks import OTHERS, OtherMask, has_other_mask, is_not_causal
from attention_core.mistakes.without_switch.masks import is_causal
from attention_core.mistakes.without_switch.projection import has_context

NOT_INFINITE = "Only a score of −∞ gives a weight of exactly 0. Any other number has an exponential that is not 0."
NEEDS = "It takes a mask."

INSTEAD: tuple[tuple[str, str, str], ...] = (  # numbers in the place of −∞ for hidden scores
    ("minus_one", "−1", "-1"),
    ("minus_two", "−2", "-2"),
    ("minus_five", "−5", "-5"),
    ("minus_ten", "−10", "-10"),
    ("one", "1", "1"),
    ("a_small_number", "10⁻⁹", "1e-9"),
    ("a_great_number", "10⁹, the sign lost,", "1e9"),
    ("the_least_score", "the smallest score", "scaled.min(axis=(-2, -1), keepdims=True)"),
    ("the_least_of_its_row", "the smallest score of its row", "scaled.min(axis=-1, keepdims=True)"),
    ("the_negated_score", "the score negated", "-scaled"),
    ("minus_ten_added", "the score minus 10", "scaled - 10"),
    ("half_the_score", "half the score", "scaled / 2"),
    ("the_score_times_minus_a_billion", "the score times −10⁹", "scaled * -1e9"),
)
NEEDS_OF: dict[Callable[[Any], bool], str] = {
    shows_always: "", has_mask: NEEDS, is_causal: "It takes a causal mask.", is_not_causal: "It takes no causal mask.",
    has_other_mask: "It takes a mask that is not causal.", has_context: "It takes a context.",
}  # fmt: skip
FILLS: tuple[tuple[str, str, str], ...] = (  # ways to apply another mask to the scores
    ("", "", "masked = np.where({}, scaled, -np.inf)"),
    ("_with_a_billion", ", with the hidden scores set to −10⁹", "masked = np.where({}, scaled, -1e9)"),
    ("_with_zeros", ", with the hidden scores set to 0", "masked = np.where({}, scaled, 0)"),
    ("_after_softmax", ", and after the softmax", "masked = scaled\nweights = np.where({}, weights, 0)"),
)
_AGAIN = "weights = softmax(np.where(allowed, softmax(scaled), {}))"
WAYS: tuple[tuple[str, str, str, str], ...] = (
    ("again_after_zeros", "Softmax, hidden weights set to 0, and softmax again", _AGAIN.format("0"), NOT_INFINITE),
    ("again_after_infinities", "The softmax is used twice: hidden weights are set to −∞ in between",
        _AGAIN.format("-np.inf"), NOT_INFINITE),
    ("billions_for_weights", "−10⁹ put among the weights", "weights = np.where(allowed, softmax(scaled), -1e9)",
        "Put −10⁹ into the scores, before the softmax. After the softmax, it is a very large negative weight."),
    ("infinities_for_weights", "−∞ is put among the weights", "weights = np.where(allowed, softmax(scaled), -np.inf)",
        "Put −∞ into the scores, before the softmax. A weight is never negative."),
    ("billions_added_to_weights", "−10⁹ is added to the weights",
        "weights = softmax(scaled) + np.where(allowed, 0, -1e9)",
        "Put −10⁹ into the scores, before the softmax. After the softmax, it is a very large negative weight."),
    ("added_to_weights", "The mask is added to the weights", "weights = softmax(scaled) + allowed",
        "Do not add the mask to the weights. Use it to set scores to −∞ before the softmax."),
    ("twice", "The mask is multiplied before the softmax and after it", "weights = softmax(scaled * allowed) * allowed",
        NOT_INFINITE),
    ("zeros_hidden", "Every score of 0 is hidden as well", "weights = softmax(np.where(scaled * allowed == 0, -np.inf, "
        "scaled))", "A score of 0 is not hidden. Only the mask says which scores are hidden."),
    ("shared_down", "Hidden weights set to 0, and columns divided by their sums",
        "left = softmax(scaled) * allowed\nweights = left / left.sum(axis=-2, keepdims=True)", NOT_INFINITE),
    ("divided_by_count", "Divided by the number of tokens that are seen",
        "weights = np.where(allowed, scaled, 0) / np.sum(allowed, axis=-1, keepdims=True)",
        "Scores are not weights. The softmax turns them into weights that add up to 1."),
    ("even_among_seen", "All weights are equal, and the mask is missing", "weights = 0 * weights + 1 / len(k)",
        "You used neither the scores nor the mask."),
)  # fmt: skip


def _mistakes_with_mask(other: OtherMask) -> Iterator[Mistake[Any]]:
    """Yield the mistakes that use the wrong mask `other`: on the scores in several ways, or after the softmax."""
    needs = NEEDS_OF[other.shows]
    for name, said, code in FILLS[2:] if other.is_named else FILLS if other.has_variants else FILLS[:2]:
        shows = _check_empties_row(other) if "billion" in name else other.shows
        yield diagnosis_mistake(
            "masked", f"mask_{other.name}{name}", f"{other.title}{said}", code.format(other.code), other.why,
            shows=shows, needs=needs or NEEDS * (shows is not shows_always),
        )  # fmt: skip


def _check_empties_row(other: OtherMask) -> Callable[[Any], bool]:
    """Return a function that says whether the mask `other` hides every key from some query of a trace.

    In such a row, the result depends on the number that replaces −∞.
    """

    def shows(trace: Any) -> bool:
        try:
            return other.shows(trace) and not mask_from_code(other.code, trace).any(axis=-1).all()
        except ValueError:
            return False  # the shapes do not allow this mask

    return shows


def _other_numbers() -> Iterator[Mistake[Any]]:
    """Yield the mistakes that use another number in place of −∞ for the hidden scores."""
    for name, said, code in INSTEAD:
        title, line = (
            f"The mask puts {said} in place of −∞".replace(", in", " in"),
            f"masked = np.where(allowed, scaled, {code})",
        )
        yield diagnosis_mistake("masked", f"mask_with_{name}", title, line, NOT_INFINITE, shows=has_mask, needs=NEEDS)
    yield diagnosis_mistake(
        "masked", "mask_inverted_with_zeros", "Mask inverted, with the hidden scores set to 0",
        "masked = np.where(allowed, 0, scaled)", NOT_INFINITE, shows=has_mask, needs=NEEDS,
    )  # fmt: skip
    yield diagnosis_mistake(
        "masked", "mask_inverted_after_softmax", "The mask is inverted, and comes after the softmax",
        "masked = scaled\nweights = np.where(allowed, 0, weights)", NOT_INFINITE, shows=has_mask, needs=NEEDS,
    )  # fmt: skip


def _masks_on_values() -> Iterator[Mistake[Any]]:
    """Yield the mistakes that apply the mask to the values or to the output."""
    why = "A mask changes the scores, not the values. The value of a hidden token has no effect: its weight is 0."
    ways = {
        "values": ("Values of hidden tokens set to 0, their scores kept",
            "v = v * np.reshape(allowed[..., -1, :], (-1, 1))\nmasked = scaled"),
        "queries": ("Rows of the output set to 0 by the mask",
            "masked = scaled\noutput = output * np.reshape(allowed[..., -1, : len(x)], (-1, 1))"),
    }  # fmt: skip
    for name, (title, code) in ways.items():
        stage = "v" if name == "values" else "masked"
        yield diagnosis_mistake(
            stage, f"mask_on_{name}", title, code, why, concept="attention", shows=has_other_mask, needs=NEEDS,
        )  # fmt: skip


def wrong_masks() -> RareMistakes:
    """Return the mistakes that use a wrong mask, another number than −∞, or the mask at a wrong step."""
    ways = (
        diagnosis_mistake("weights", f"mask_{name}", title, code, why, concept="attention", shows=has_mask, needs=NEEDS)
        for name, title, code, why in WAYS
    )
    return (
        *(each for other in OTHERS for each in _mistakes_with_mask(other)),
        *_other_numbers(),
        *ways,
        *_masks_on_values(),
    )
