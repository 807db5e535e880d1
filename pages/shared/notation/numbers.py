"""How a number is written, and the difference of two matrices."""

from __future__ import annotations

import math

SUBSCRIPTS = {"d_k": "dₖ", "d_v": "dᵥ"}  # Unicode has no such letters for d_model


def plain(text: str) -> str:
    """Return a text in which d_k and d_v have an index in small letters.

    >>> plain("Multiplied by √d_k")
    'Multiplied by √dₖ'
    """
    for name, lowered in SUBSCRIPTS.items():
        text = text.replace(name, lowered)
    return text


WHOLE = 1e-12  # a number that differs from a whole number by less than this is written as that whole number
MOST_EXACT = 2**53  # up to here a floating-point number holds every whole number


def format_as_shown(value: float, decimals: int) -> str:
    """Return a number for prose, as the screen shows it. A whole number has no decimals.

    >>> format_as_shown(-0.125, 2), format_as_shown(12345.0, 2), format_as_shown(-0.001, 2)
    ('−0.12', '12,345', '0.00')
    """
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "−∞" if value < 0 else "∞"
    text = f"{round(value):,}" if _is_whole(value) else f"{value:z,.{decimals}f}"  # z: a rounded 0 has no sign
    return text.replace("-", "−")


def number(value: float, digits: int = 4) -> str:
    r"""Return a number as LaTeX with `digits` significant digits, but at least four.

    >>> number(0.123456), number(2e-9), number(float("-inf"))
    ('0.1235', '2 \\cdot 10^{-9}', '-\\infty')
    """
    if not math.isfinite(value):
        return _not_finite_in_latex(value)
    text = f"{value + 0.0:.{max(4, digits)}g}"  # + 0.0: minus zero is zero
    mantissa, _, exponent = text.partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa


RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def significant(value: float, digits: int = 3) -> str:
    """Return a number for prose with `digits` significant digits. A power of ten has its exponent in small letters.

    >>> significant(0.123456, 4), significant(-0.24999), significant(2e-9), significant(0.0)
    ('0.1235', '−0.25', '2·10⁻⁹', '0')
    """
    if not math.isfinite(value):
        return format_as_shown(value, 0)
    rounded = float(f"{value:.{digits}g}") + 0.0  # minus zero is zero
    mantissa, _, exponent = f"{rounded:.{max(4, digits)}g}".partition("e")
    power = f"·10{str(int(exponent)).translate(RAISED)}" if exponent else ""
    return mantissa.replace("-", "−") + power


def number_latex(value: float, decimals: int) -> str:
    """Return a number of a matrix as LaTeX, with as many decimals as on the screen. A whole number has no decimals.

    >>> number_latex(4.3, 2), number_latex(-0.001, 2), number_latex(5.0, 2)
    ('4.30', '0.00', '5')
    """
    if not math.isfinite(value):
        return _not_finite_in_latex(value)
    return str(round(value)) if _is_whole(value) else f"{value:z.{decimals}f}"


def number_text(value: float) -> str:
    """Return a number for a link or a field, with all its digits and without a needless ".0".

    >>> number_text(3.0), number_text(0.1)
    ('3', '0.1')
    """
    return repr(float(value)).removesuffix(".0")


def rounded_text(value: float) -> str:
    """Return a number with up to four decimals, without needless zeros.

    >>> rounded_text(0.50004), rounded_text(3.0)
    ('0.5', '3')
    """
    return f"{value:.4f}".rstrip("0").rstrip(".")


def number_literal(value: float) -> str:
    """Return a number as Python code, with all its digits. A whole number has no decimal point.

    >>> number_literal(0.1), number_literal(3.0), number_literal(float("inf"))
    ('0.1', '3', 'np.inf')
    """
    if not math.isfinite(value):
        return "np.nan" if math.isnan(value) else "np.inf" if value > 0 else "-np.inf"
    return str(int(value)) if value == int(value) and abs(value) < MOST_EXACT else repr(float(value))


def _is_whole(value: float) -> bool:
    return value == round(value) or abs(value - round(value)) < WHOLE


def _not_finite_in_latex(value: float) -> str:
    return r"\text{NaN}" if math.isnan(value) else r"-\infty" if value < 0 else r"\infty"


ROUNDING = 1e-9  # relative to the size of the numbers: a smaller difference is only rounding


def by_how_much(difference: float, size: float = 1.0) -> str:
    """Return in words how much two results differ: "nothing", "nothing but rounding", "up to 0.5".

    `difference` is their greatest difference. `size` is the greatest of their numbers, because rounding grows with it.

    >>> by_how_much(3.553e-15), by_how_much(0.5)
    ('nothing but rounding', 'up to 0.5')
    """
    if difference == 0:
        return "nothing"
    return "nothing but rounding" if difference < ROUNDING * max(size, 1.0) else f"up to {significant(difference, 4)}"


def equal_or_not(difference: float, size: float = 1.0) -> str:
    """Return a clause that says whether two results are equal, equal up to rounding, or different.

    `difference` is their greatest difference. `size` is the greatest of their numbers, because rounding grows with it.

    >>> equal_or_not(0.0), equal_or_not(3.553e-15), equal_or_not(0.5)
    ('the numbers are equal', 'the numbers are equal up to rounding', 'the numbers differ by up to 0.5')
    """
    if difference == 0:
        return "the numbers are equal"
    if difference < ROUNDING * max(size, 1.0):
        return "the numbers are equal up to rounding"
    return f"the numbers differ by up to {significant(difference, 4)}"
