"""Ways: different steps to the same number, in which rounding can happen at different places."""

from __future__ import annotations

from attention_core.arithmetic import Number, Operation, Term


def ways(term: Term) -> tuple[Term, ...]:
    """Return the ways to compute a term.

    A share of powers is computed with and without subtracting the greatest exponent. A quotient by a root is computed
    as it is, and as a product with 1 / root. Any other term has only one way.

    >>> len(ways(Number(2.0)))
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
    """Return two ways to compute a share of powers: with the exponents, and with the exponents minus the greatest."""
    plain = [_exponent(power) for power in powers]
    greatest = Operation("maximum", tuple(plain))
    less = [Operation("difference", (exponent, greatest)) for exponent in plain]
    return _share(which, powers, plain), _share(which, powers, less)


def _share(which: int, powers: tuple[Term, ...], exponents: list[Term] | list[Operation]) -> Term:
    parts = tuple(_with_exponent(*pair) for pair in zip(powers, exponents, strict=True))
    return Operation("quotient", (parts[which], Operation("sum", parts)))


def _exponent(power: Term) -> Term:
    """Return the exponent of a power, before the greatest one was subtracted."""
    match power:
        case Operation(_, (*_, Operation("difference", (exponent, Operation("maximum"))))):
            return exponent
        case Operation(_, (*_, exponent)):
            return exponent
        case _:
            return power


def _with_exponent(power: Term, exponent: Term) -> Term:
    return Operation(power.symbol, (*power.terms[:-1], exponent)) if isinstance(power, Operation) else exponent
