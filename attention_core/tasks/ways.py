"""Different ways to compute the same number, in which rounding can happen at different steps."""

from __future__ import annotations

from attention_core.arithmetic import Number, Operation, Term


def ways_to_compute(term: Term) -> tuple[Term, ...]:
    """Return the usual ways to compute a term, as terms with the same value.

    If a power is divided by a sum of powers, the greatest exponent may be subtracted from all exponents first. A
    quotient by a root may also be computed as a product with 1 / root. Any other term has only one way.

    >>> len(ways_to_compute(Number(2.0)))
    1
    """
    match term:
        case Operation("quotient", (above, Operation("root") as root)):
            return term, Operation("product", (above, Operation("quotient", (Number(1.0), root))))
        case Operation("quotient", (above, Operation("sum", powers))) if above in powers and all(
            map(_is_power, powers)
        ):
            return _shares(powers.index(above), powers)
        case _:
            return (term,)


def _is_power(term: Term) -> bool:
    return isinstance(term, Operation) and term.symbol in ("exp", "power")


def _shares(which: int, powers: tuple[Term, ...]) -> tuple[Term, ...]:
    """Return two ways to divide the power with the index `which` by the sum of all powers.

    One way uses the exponents. The other way first subtracts the greatest exponent from all exponents.
    """
    plain = [_exponent(power) for power in powers]
    greatest = Operation("maximum", tuple(plain))
    less = [Operation("difference", (exponent, greatest)) for exponent in plain]
    return _share(which, powers, plain), _share(which, powers, less)


def _share(which: int, powers: tuple[Term, ...], exponents: list[Term] | list[Operation]) -> Term:
    parts = tuple(_with_exponent(*pair) for pair in zip(powers, exponents, strict=True))
    return Operation("quotient", (parts[which], Operation("sum", parts)))


def _exponent(power: Term) -> Term:
    """Return the exponent of a power, without the greatest exponent if this was subtracted."""
    match power:
        case Operation(_, (*_, Operation("difference", (exponent, Operation("maximum"))))):
            return exponent
        case Operation(_, (*_, exponent)):
            return exponent
        case _:
            return power


def _with_exponent(power: Term, exponent: Term) -> Term:
    return Operation(power.symbol, (*power.terms[:-1], exponent)) if isinstance(power, Operation) else exponent
