"""Find the tokens in the sentence of an example."""

from string import Formatter


def tokens_in(sentence: str) -> tuple[str, ...]:
    """Return the texts in braces that are tokens. A text with a bar, such as {thirsty|sour}, is not a token.

    >>> tokens_in("The {cat} was {thirsty|sour}.")
    ('cat',)
    """
    return tuple(field for _, field, *_ in Formatter().parse(sentence) if field and "|" not in field)
