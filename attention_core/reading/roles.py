"""Find which matrix of attention a name means, in any spelling: `W_q`, `W^Q`, “Query weights”."""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST_NAME = 80  # characters
_FILLERS = set(
    "and the where with our my these are then step final computed matrix of".split()
)  # words to ignore; not “gradient”, because it changes the meaning

_MASKS = {"masked", "causal"}
_ADJECTIVES = _MASKS | {"self-attention", "self", "full", "normalized", "normalised"}
_WEIGHT_MATRIX = {"weight", "weights", "weightmatrix", "projection", "projectionmatrix"}
_NO_LETTER = re.compile(r"[^a-z0-9]")
_STYLE = re.compile(r"\\(?:mathbf|mathrm|mathit|boldsymbol|text|textbf|operatorname|bm|hat|tilde)\b")
_IN_PARENTHESES = re.compile(r"[ ]\(((?:[^()]|\([^()]{0,20}\)){1,40})\)")  # Query weights (W_q), but not relu(Q)
_FOR_EACH = re.compile(r"[ ]for (?:each|every|all)\b.*")
_HEAD_NUMBER = re.compile(r"\A([A-Z]|\\?alpha|α|head)_\{?[0-9]\}?\Z")  # Q_1 is the Q of one head, but q1 may be a row
_SOFTMAX = re.compile(r"\A\{?\\?softmax\}?[ ]?(?:\\left)?\(.{1,60}\)\Z")
_DIVIDED = re.compile(r"[/÷√]|\bsqrt\b|\\frac")
_PRINTED = re.compile(r"print\(([^()]{1,60})\)\Z")
_LAYER = re.compile(r"\.(weight|bias)\Z")
_SIGNS = str.maketrans({"ᵀ": "t", "⊤": "t", "ᵠ": "q", "ᴷ": "k", "ᵏ": "k", "ⱽ": "v", "ᵛ": "v", "ᴼ": "o", "ᵒ": "o"})
_LETTERS = {"q": ("query", "queries"), "k": ("key", "keys"), "v": ("value", "values")}
_PLAIN = {
    "x": "x input inputs inputx xinput embedding embeddings inputembedding inputembeddings tokenembeddings "
    "wordembeddings inputmatrix hiddenstates",
    "w_o": "wo wout woutput outputweights outputweight outputprojection outputweightmatrix oproj outproj",
    "b_o": "bo outputbias",
    "scores": "s score scores attnscores attnscore attentionscores attentionscore rawscores rawattentionscores "
    "rawscore unscaledscores logits attnlogits attentionlogits qk qkt qktranspose qktranspose dotproducts similarity",
    "scaled": "scaled scaledscores scaledattentionscores scaledattnscores scaledqkt scoresscaled scaledlogits "
    "scaleddotproducts scaledscore scorescaled attentionscorescaled attentionscoresscaled",
    "masked": "masked maskedscores maskedattnscores maskedattentionscores",
    "weights": "a alpha alphas p attn attention attnweights attentionweights attnprobs attentionprobs probs weights "
    "softmax attnweight attentionweight attentionmatrix softmaxscores attentionprobabilities",
    "output": "z o out output outputs attnoutput attentionoutput attnout contextvec contextvecs contextvector "
    "contextvectors result finaloutput contextlayer headoutput concatenatedoutput",
    "mask": "mask attnmask attentionmask causalmask paddingmask",
}


def _known_names() -> Iterator[tuple[str, str]]:
    """Yield every known name of a matrix with the matrix that the name means, such as "queryweights" and "w_q"."""
    for role, names in _PLAIN.items():
        yield from ((name, role) for name in names.split())
    for letter, (one, many) in _LETTERS.items():
        for name in (letter, one, many, f"{letter}matrix", f"{one}matrix", f"{many}matrix", f"{one}vectors"):
            yield name, letter
        yield from ((name, f"w_{letter}") for name in _weight_names(letter, one, many))
        for name in (f"b{letter}", f"{one}bias", f"{letter}bias", f"bias{letter}", f"bias{one}"):
            yield name, f"b_{letter}"


def _weight_names(letter: str, singular: str, plural: str) -> Iterator[str]:
    """Yield the known names of a weight matrix, such as "wq" for the arguments "q", "query" and "queries"."""
    yield from (
        f"w{letter}",
        f"w{singular}",
        f"w{plural}",
        f"{letter}proj",
        f"{singular}proj",
        f"{singular}projection",
        f"to{letter}",
    )
    for name in (letter, singular, plural):
        yield from (f"{name}weights", f"{name}weight", f"{name}weightmatrix", f"weights{name}", f"weight{name}")


ROLES = dict(_known_names())


def role_of(name: str) -> str:
    """Return the matrix of attention that a name means, such as "w_q" or "scores", or "" if the name is not known.

    >>> [role_of(name) for name in ("W_q", "$W^{K}$", "Query weights", "attn_weights", "q_proj.bias", "Table 2")]
    ['w_q', 'w_k', 'w_q', 'weights', 'b_q', '']
    """
    plain = _STYLE.sub("", name[-LONGEST_NAME:].strip()).translate(_SIGNS)
    if layer := _LAYER.search(plain):
        return _role_in_layer(plain[: layer.start()].rpartition(".")[2], layer[1])
    if printed := _PRINTED.match(plain):
        return role_of(printed[1])
    if _SOFTMAX.match(plain):
        return "weights"
    if inside := _IN_PARENTHESES.search(plain):
        outside = role_of(plain[: inside.start()] + plain[inside.end() :])
        return "scaled" if outside == "scores" and is_divided(inside[1]) else outside or role_of(inside[1])
    if of_head := _HEAD_NUMBER.match(plain.replace("{head}", "head")):
        return "output" if of_head[1] == "head" else role_of(of_head[1])
    last = _without_fillers(_FOR_EACH.sub("", plain).replace(".T", "T")).rpartition(".")[2]
    return ROLES.get(_key(last), "") or _role_of_words(last.split())


def is_divided(formula: str) -> bool:
    """Return whether a formula of the scores has a division, as in `Q·Kᵀ / sqrt(dk)`. It then gives scaled scores."""
    return bool(_DIVIDED.search(formula))


def is_transposed(name: str) -> bool:
    """Return whether a name is the weight of a PyTorch linear layer, which stores its matrix as outputs × inputs."""
    return name.strip().endswith(".weight")


def _role_of_words(words: list[str]) -> str:
    """Return the name of the matrix that several words mean, or "". The words `Weight matrix W_q` mean "w_q"."""
    if len(words) < 2:
        return ""
    first, rest, last = words[0].lower(), words[1:], ROLES.get(_key(words[-1]), "")
    if first in _ADJECTIVES:
        role = ROLES.get(_key(" ".join(rest)), "") or _role_of_words(rest)
        return "masked" if first in _MASKS and role in ("scores", "scaled") else role
    before = _key(" ".join(words[:-1]))
    if last and (ROLES.get(before) == last or (before in _WEIGHT_MATRIX and last.startswith("w_"))):
        return last
    kept = [word for word in words if word.lower() != "matrix"]
    return ROLES.get(_key(" ".join(kept)), "") if len(kept) < len(words) else ""


def _role_in_layer(layer: str, kind: str) -> str:
    role = ROLES.get(_key(layer), "")
    letter = "o" if role in ("output", "w_o") else role.removeprefix("w_")
    return f"{kind[0]}_{letter}" if letter in ("q", "k", "v", "o") else ""


def _without_fillers(name: str) -> str:
    words = name.split()
    first = next((place for place, word in enumerate(words) if not _is_filler(word)), 0)
    return " ".join(words[first:])


def _is_filler(word: str) -> bool:
    return word.lower() in _FILLERS or word.rstrip(".):").isdecimal()


def _key(name: str) -> str:
    return _NO_LETTER.sub("", name.lower())
