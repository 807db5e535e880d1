"""Turn a text into the tokens of the model, and tokens into readable pieces of text."""

from __future__ import annotations

from collections.abc import Iterable

from attention_core.language_model.tokens import LETTERS, Vocabulary

BEGIN = "<|endoftext|>"  # the start token, which is before every text, as in training
MOST_TOKENS = 32  # how many tokens a text may have, with the start token
LONGEST = 200  # how many characters a text may have
SHOWN = {" ": "␣", "\n": "⏎", "\t": "⇥"}  # the signs for a token that is only white space


class UnreadableError(ValueError):
    """Raised for a text that is empty, too long, or has characters that the model does not know.

    The message says the rule, what was given, and what to do.
    """


def tokens_of(text: str, vocabulary: Vocabulary) -> tuple[int, ...]:
    """Return the tokens of a text, with the start token first.

    Raises: UnreadableError if the text is empty or too long, or has characters that the model does not know.
    """
    if not text.strip():
        raise UnreadableError("A text must have at least one word, but this one is empty. Write some words.")
    if strange := "".join(letter for letter in dict.fromkeys(text) if not _is_known(letter, vocabulary)):
        raise UnreadableError(
            f"The model must know every character of a text, but it does not know {strange}. Leave it out."
        )
    tokens = (vocabulary.numbers[BEGIN], *vocabulary.encode(text))
    if len(tokens) > MOST_TOKENS:
        raise UnreadableError(
            f"A text may have {MOST_TOKENS - 1} tokens here, but this one has {len(tokens) - 1}. Leave "
            f"{len(tokens) - MOST_TOKENS} tokens out. A word has one token or several."
        )
    return tokens


def _is_known(letter: str, vocabulary: Vocabulary) -> bool:
    """Return whether the vocabulary has a token for each byte of a character.

    Some characters of rare scripts have a byte without a token.
    """
    return all(LETTERS[byte] in vocabulary.numbers for byte in letter.encode())


def pieces_of(tokens: Iterable[int], vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the text of each token.

    The space before a word belongs to its token, but is not part of the returned text.
    """
    return tuple(_piece(token, vocabulary) for token in tokens)


def _piece(token: int, vocabulary: Vocabulary) -> str:
    if vocabulary.tokens[token] == BEGIN:
        return "start"
    text = vocabulary.decode([token])
    return text.strip() or "".join(SHOWN.get(letter, letter) for letter in text)
