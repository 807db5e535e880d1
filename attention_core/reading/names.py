"""Find the named matrices in a text: where each begins, its name, and the matrix of attention that the name means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from attention_core.reading.surroundings import without_comments, without_prompts, without_session
from attention_core.reading.written import MOST_NAMED, MOST_READINGS, ONE, AmbiguousTextError, MatrixTextError, Reading

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


# --- the parts of a text that contain a named matrix ---

MOST_PARTS = 40
MOST_LINE = 2000  # in a line with more characters, no name is searched

_BRACKET = re.compile(r"[\[\]]")
_LATEX = re.compile(r"\\begin\{([a-zA-Z]*matrix\*?|array)\}")
_NUMBER = re.compile(r"[0-9∞]|inf|nan", re.IGNORECASE)
_R_HEAD = re.compile(r"\[(?:[0-9]{1,6},|,[0-9]{1,6})\]")
_WRAPPED = re.compile(r"OrderedDict\(\[|Parameter containing:")
_STATEMENT = re.compile(r"[;\n]|[)\]}],?[ ]|\\\\|(?:,|\band\b|\bwhere\b|→|⇒)[ ]")
_DECORATION = "#%/*>`-_~=:|$ \t\"'{},("
_AFTER_NAME = " \t:=≈→,-<$"
_PART_OF_WORD = "".join(map(chr, range(48, 58))) + "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_."
_HEAD = re.compile(r"[ \t]*([^\s=:][^\n=:]{0,79})(?:[=:≈]|<-)[ \t]*")
_ROW = re.compile(r"[\s+\-−.0-9∞infae,;/%|]*\Z")
_WORDS = re.compile(r"[^\W\d_]{2}")


class Part(NamedTuple):
    """A part of a text. The part contains one matrix."""

    name: str
    role: str  # the matrix of attention that the name means, as `role_of` returns it, or ""
    text: str
    offset: int


def named_parts(text: str) -> list[Part]:
    """Return the parts of a text that contain a named matrix, in the order of the text. Unclear parts are left out.

    A name stands before a matrix or on the line above it. The name may also be in a comment.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u00a0", " ")
    shown = without_prompts(_WRAPPED.sub(lambda wrapper: " " * len(wrapper[0]), text))
    try:
        code = _WRAPPED.sub(lambda wrapper: " " * len(wrapper[0]), without_comments(without_session(text)))
    except MatrixTextError:  # a comment that may be a row
        return []
    blocks = [*_bracket_blocks(code), *_latex_blocks(code)]
    found = _parts_before(shown, code, sorted(blocks)) if blocks else _parts_in_lines(shown, code)
    return [*islice(found, MOST_PARTS)]


def check_roles(text: str) -> None:
    """Raise an error if the names in a text mean two or more matrices of attention, such as Q and K.

    Raises: AmbiguousTextError, which offers each matrix.
    """
    parts = [part for part in named_parts(text) if part.role]
    if len({part.role for part in parts}) < 2:
        return
    readings = [Reading(f"“{part.name[:MOST_NAMED]}”", part.text) for part in parts[: MOST_READINGS - 1]]
    if text.strip().count("\n") == len(parts) - 1 and not any(part.text.startswith(("[[", "\\")) for part in parts):
        readings.append(Reading("All rows as one matrix", "\n".join(part.text for part in parts)))
    raise AmbiguousTextError(
        text, parts[1].offset, f"{ONE}, but here a second one begins. Paste only one of them.", readings
    )


# --- brackets and LaTeX ---


def _bracket_blocks(code: str) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each matrix in brackets. Rows that follow each other belong to one matrix."""
    if _R_HEAD.search(code):
        return
    groups, depth, start, height = list[tuple[int, int, int]](), 0, 0, 0
    for mark in _BRACKET.finditer(code):
        if mark[0] == "[":
            start, height = (mark.start(), 0) if depth == 0 else (start, height)
            depth += 1
            height = max(height, depth)
        elif depth:
            depth -= 1
            if depth == 0 and _is_matrix(code, start, mark.end()):
                groups.append((start, mark.end(), height))
    yield from _join_rows(code, groups)


def _is_matrix(code: str, start: int, end: int) -> bool:
    """Return whether the brackets from `start` to `end` contain numbers of a matrix, and not an index or a shape."""
    before = code[max(start - 5, 0) : start]
    return (
        bool(_NUMBER.search(code, start, end))
        and before[-1:] not in (*"])", "_")
        and not (before[-1:].isalnum() or before.endswith(("Size(", "hape(")))
    )


def _join_rows(code: str, groups: list[tuple[int, int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each matrix, which may consist of several rows in brackets with nothing between them.

    A group is a tuple: start, end, and how many brackets are nested.
    """
    held: tuple[int, int, int] | None = None
    for group in groups:
        if held and held[2] == group[2] == 1 and not code[held[1] : group[0]].strip(" \n,"):
            held = (held[0], group[1], 1)
            continue
        if held:
            yield held[:2]
        held = group
    if held:
        yield held[:2]


def _latex_blocks(code: str) -> Iterator[tuple[int, int]]:
    end, open_ones = 0, set[str]()
    for begin in _LATEX.finditer(code):
        closing = rf"\end{{{begin[1]}}}"
        if begin.start() < end or closing in open_ones:
            continue
        found = code.find(closing, begin.end())
        if found < 0:
            open_ones.add(closing)
        else:
            end = found + len(closing)
            yield begin.start(), end


def _parts_before(shown: str, code: str, blocks: list[tuple[int, int]]) -> Iterator[Part]:
    end = 0
    for start, after in blocks:
        near = max(end, start - 4 * LONGEST_NAME)
        names = _names_before(shown[near:start], code[near:start])
        end = max(end, after)
        for name in filter(None, names):
            yield Part(name, role_of(name), code[start:after], start)


def _names_before(shown: str, code: str) -> list[str]:
    """Return the names before a matrix. They are on its line, before the equals sign or colon, or on the line above.

    `code` is the text before the matrix without comments, and `shown` is the same text with comments. The list has at
    most one name, except for `Q = K = …`.
    """
    code, shown = code.replace("\\approx", "≈"), shown.replace("\\approx", "≈")
    line = _without_call(code.rpartition("\n")[2]).rstrip(_AFTER_NAME)
    if line.strip():
        chain = [each.strip(_DECORATION) for each in _STATEMENT.split(line)[-1].split("=")]
        roles = {role_of(each) for each in chain}
        return chain if len(roles) == len(chain) and "" not in roles else [_first_with_role(line)]
    above = [line for line in shown.split("\n")[:-1] if line.strip(_DECORATION)]
    return [_first_with_role(above[-1].strip(_DECORATION))] if above else []


def _without_call(line: str) -> str:
    """Return a line without its end if it ends with `np.array(`, `(` or `,`."""
    line = line.rstrip()
    while line.endswith(("(", ",", "\\left")):
        is_call = line.endswith("(")
        line = line.removesuffix("\\left")[: None if line.endswith("\\left") else -1].rstrip()
        line = line.rstrip(_PART_OF_WORD).rstrip() if is_call else line
    return line


def _first_with_role(line: str) -> str:
    statement = _STATEMENT.split(line)[-1]
    candidates = [each.strip(_DECORATION) for each in re.split(r"[=:≈]", statement)]
    candidates = [each.rpartition("$")[2].strip() for each in candidates if each]
    return next((each for each in candidates if role_of(each)), candidates[0] if candidates else "")


# --- lines ---


def _parts_in_lines(shown: str, code: str) -> Iterator[Part]:
    """Yield the matrices that are written as lines of numbers, each below or after its name.

    `shown` is the text with comments, and `code` is the same text without comments.
    """
    lines, codes = shown.split("\n"), code.split("\n")
    heads = [(place, *head) for place, line in enumerate(lines) if (head := _head_in(line))]
    starts = [0]
    for line in codes:
        starts.append(starts[-1] + len(line) + 1)
    for (place, name, column), after in zip(heads, [*(head[0] for head in heads[1:]), len(lines)], strict=False):
        first = place if column else place + 1
        body = [codes[place][column:].rjust(len(codes[place]))] if column else []
        body += codes[place + 1 : after]
        text = "\n".join(_without_prose(body))
        if _NUMBER.search(text):
            blank = 0 if column else len(text) - len(text.lstrip("\n"))
            yield Part(name, role_of(name), text.strip("\n"), starts[first] + column + blank)


def _head_in(line: str) -> tuple[str, int] | None:
    """Return the name in a heading line, and the position of the numbers after the name, or 0 without numbers.

    Return None if the line is no heading.
    """
    if len(line) > MOST_LINE:
        return None
    alone = line.strip(_DECORATION)
    if role_of(alone):
        return alone, 0
    head = _HEAD.match(line)
    if head and _ROW.match(line, head.end()) and line[head.end() :].strip() and role_of(head[1].strip(_DECORATION)):
        return head[1].strip(_DECORATION), head.end()
    return None


def _without_prose(body: list[str]) -> list[str]:
    """Return the lines up to the last number. Prose (words without a number) after the numbers is left out."""
    begun = False
    for place, line in enumerate(body):
        if begun and _WORDS.search(line) and not _NUMBER.search(line):
            return body[:place]
        begun = begun or bool(_NUMBER.search(line))
    return body
