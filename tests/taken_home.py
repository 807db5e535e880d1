"""Help for tests of the files that visitors can download: screens of the simulated app, and states of every page."""

from __future__ import annotations

import numpy as np

from attention_core.mistakes.backward import WRONG_GRADIENTS
from pages.shared.equation.model import matrices_of
from pages.shared.takehome.code import expression
from pages.shared.takehome.screen import ShownPage, runs, tolerance_of
from pagesutil import DECLARED, KINDS, USUAL, looks_of
from simulating import X_5, drawn_equations, open_page, visit_of

SHARES_OF_THREE = "[[1, 0, 0], [0.5, 0.5, 0], [0, 0, 1]]"
X_50 = "50,0,0,90,0;50,0,50,0,0;0,50,0,50,50"
OWN = {"own_q": "1 0\n0 1", "own_k": "1 2\n3 4", "own_v": "5\n6"}

PROVED = "Every number is the one on the page."  # the last line that a script prints
GIVEN = {"given"}  # the sources of matrices that the code starts from

NEXT_WORD = ("draw", "head", "block", "rows", "cache", "loss")
State = tuple[str, dict[str, str]]  # a page and its link

# States of the pages that differ most: examples, edits, layouts, switches, views.
CHOSEN: list[State] = [
    ("home", {}),
    ("home", {"example": "context", "layout": "columns"}),
    ("softmax_axes", {"source": "undivided"}),
    ("softmax_axes", {"source": "array", "look": "temperature", "constant": "710", "subtract": "off"}),
    ("softmax_axes", {"look": "temperature", "example": "book", "axis": "columns", "base": "2", "layout": "columns"}),
    ("queries_keys_values", {"example": "columns", "sharpness": "4", "token": "1"}),
    ("softmax_axes", {"look": "powers", "layout": "columns"}),
    ("softmax_axes", {"look": "shares", "mistake": "softmax_without_maximum", "layout": "columns"}),
    ("queries_keys_values", {"look": "plane", "layout": "columns", "x": X_5}),
    ("queries_keys_values", {"task": "17", "mistake": "keys_as_values"}),
    ("queries_keys_values", {"look": "three", "sharpness": "4"}),
    ("queries_keys_values", {"look": "three", "example": "columns", "layout": "columns"}),
    ("queries_keys_values", {"look": "three", "example": "context"}),
    ("queries_keys_values", {"look": "arrows", "layout": "columns"}),
    ("scaling", {"x": X_5, "distribution": "correlated", "draws": "1000", "d_k": "8"}),
    ("scaling", {"look": "draws", "distribution": "uniform", "draws": "300", "d_k": "4", "layout": "columns"}),
    ("scaling", {"look": "weights", "example": "book", "mistake": "divided_by_d_k"}),
    ("scaling", {"look": "beliefs", "layout": "columns"}),
    ("scaling", {"look": "tokens", "layout": "columns"}),
    ("attention", {"step": "5", "x": X_5}),
    *(("attention", {"look": look, "step": "3", "layout": "columns"}) for look in ("future", "padding", "cost")),
    ("attention", {"step": "7", "mask": "causal", "scale": "none", "token": "2", "layout": "columns"}),
    ("attention", {"step": "10", "example": "heads_512", "mask": "padding"}),
    ("multi_head", {"rewire": "swap", "off": "0", "sharing": "all", "x": X_5}),
    ("multi_head", {"example": "columns", "heads": "4", "rewire": "swap_alone", "sharing": "grouped"}),
    ("multi_head", {"look": "attentions", "layout": "columns", "off": "1"}),
    ("multi_head", {"look": "attentions", "example": "translation", "mistake": "heads_averaged"}),
    ("multi_head", {"look": "price", "sharing": "grouped", "example": "wide"}),
    ("multi_head", {"look": "shares", "off": "0", "layout": "columns"}),
    *(("multi_head", {"look": "around", "off": "0", "layout": layout}) for layout in ("rows", "columns")),
    ("cross_attention", {"example": "context", "queries": "1", "keys": "3"}),
    ("cross_attention", {"example": "hand", "queries": "2", "layout": "columns", "word": "0"}),
    ("cross_attention", {"look": "shares", "example": "context", "itself": "on"}),
    *(
        ("positional_encoding", {"look": look})
        for look in ("bag", "numbering", "encoding", "rotation", "distance", "formulas")
    ),
    ("positional_encoding", {"look": "rope", "pairing": "neighbours", "example": "book", "layout": "columns"}),
    ("positional_encoding", {"look": "alibi", "heads": "6", "head": "6", "example": "context"}),
    ("softmax_axes", {"example": "wide", "mistake": "softmax_over_columns"}),
    ("softmax_axes", {"example": "hand", "mistake": "softmax_without_maximum", "x": X_50}),
    ("queries_keys_values", {"example": "columns", "mistake": "biases_forgotten", "layout": "columns"}),
    ("attention", {"step": "3", "mask": "causal", "mistake": "mask_inverted", "layout": "columns"}),
    ("attention", {"step": "8", "example": "context", "mask": "padding", "mistake": "mask_after_softmax"}),
    ("multi_head", {"rewire": "swap", "off": "0", "mistake": "heads_by_reshape", "layout": "columns"}),
    ("positional_encoding", {"look": "formulas", "mistake": "base_misses_a_zero", "base": "100"}),
    ("positional_encoding", {"look": "rope", "mistake": "embedding_not_scaled", "layout": "columns"}),
    ("cross_attention", {"queries": "2", "keys": "1", "mistake": "divided_by_root_n"}),
    ("cross_attention", {"example": "context", "itself": "on", "mistake": "scores_as_weights", "layout": "columns"}),
    *(("training_step", {"look": look, "taken": "3"}) for look in ("row", "back", "jacobian", "learned", "check")),
    (
        "training_step",
        {"look": "back", "example": "columns", "mask": "causal", "token": "0", "layout": "columns", "taken": "20"},
    ),
    ("training_step", {"look": "back", "example": "french", "times": "10", "learns": "where", "taken": "2"}),
    *(
        ("training_step", {"wrong": wrong.name, "mask": "causal", "token": "1", "layout": layout})
        for wrong in WRONG_GRADIENTS
        for layout in ("rows", "columns")
    ),
    ("your_sentence", {"text": "Die Katze sah 猫", "heads": "2", "positions": "on"}),
    ("your_sentence", {"source": "cat", "causal": "on", "layout": "columns"}),
    *(("your_sentence", {"look": look}) for look in ("computed", "again", "drawn")),
    ("your_sentence", {"look": "computed", "heads": "4", "causal": "on", "layout": "columns"}),
    *(("induction_head", {"look": look}) for look in ("learned", "causes", "first", "second")),
    ("induction_head", {"look": "first", "first": "previous", "layout": "columns", "text": "abcabc"}),
    ("induction_head", {"look": "second", "first": "uniform", "layout": "columns", "after": "160"}),
    ("induction_head", {"layers": "1", "look": "first", "text": "fortyletters that are not all of them read"}),
    *(("real_heads", {"look": look}) for look in ("tour", "numbers", "sink", "positions", "shared")),
    *(("real_heads", {"look": look, "layout": "columns", "text": "kinds"}) for look in ("numbers", "positions")),
    ("real_model", {"mistake": "mask_times_infinity", "layout": "columns", "cell": "averages.1.1"}),
    ("real_model", {"look": "causes", "experiment": "capitals", "guess": "capitals-0", "layout": "columns"}),
    ("real_model", {"look": "causes", "experiment": "induction", "guess": "induction-2"}),
    ("real_model", {"look": "heads"}),
    *(("next_word", {"look": look, "layout": layout}) for look in NEXT_WORD for layout in ("rows", "columns")),
    ("next_word", {"temperature": "2", "top_p": "0.8", "top_k": "4", "attends": "off", "verb": "chased", "more": "1"}),
    ("next_word", {"look": "cache", "at": "1", "more": "2", "w_q_next": "3,0;1,0;0,2;0,0;0,0", "layout": "columns"}),
    ("spot_the_bug", {}),
    ("spot_the_bug", {"exhibit": "decoder_and_encoder", "aid": "beside", "layout": "columns"}),
    ("spot_the_bug", {"exhibit": "a_loop_over_heads", "aid": "answer"}),
    ("spot_the_bug", {"exhibit": "columns_of_the_book.5", "layout": "columns"}),
    ("spot_the_bug", {"exhibit": "no_loop.1", "aid": "beside"}),
    ("check_my_matrix", {"source": "weights", "own_x": "1 2"}),
    ("check_my_matrix", {"example": "hand", "asked": "weights", "mask": "causal", "answer": SHARES_OF_THREE}),
    ("check_my_matrix", {"asked": "mixed", "example": "translation", "layout": "columns", "answer": "1 2\n3 4"}),
    ("check_my_matrix", {"example": "hand", "asked": "encoding", "answer": "1 2 3 4 5\n1 2 3 4 5\n1 2 3 4 5"}),
    ("check_my_matrix", {"source": "queries", "answer": "5\n6"} | OWN),
    ("check_my_matrix", {"source": "scores", "own_scores": "1 2\n-inf -inf", "answer": ".27 .73\n0 0"}),
]


def views_left_out() -> list[State]:
    """Return states for the views of pages that no state in `CHOSEN` shows: one state for each view."""
    seen = {(page, link.get("look", getattr(KINDS[page](), "look", ""))) for page, link in CHOSEN}
    views = [(page, look) for page in USUAL for look in looks_of(page) or [""]]
    return [(page, {"look": look} if look else {}) for page, look in views if (page, look) not in seen]


STATES = [*CHOSEN, *views_left_out()]


def screen_at(page, **link) -> ShownPage:
    """Open a page by a link, and return its screen. The files that a visitor can download are made from a screen."""
    return screen_of(page, open_page(page, **link))


def screen_of(page, app) -> ShownPage:
    """Return the screen of a simulated page. The files that a visitor can download are made from a screen."""
    assert not app.exception
    visit, declared = visit_of(app), DECLARED[page]
    parameters = visit.parameters
    example = declared.makes_example(parameters) if declared.makes_example else visit.example
    return ShownPage(
        page=page, concept=declared.concept, question=declared.question, link=f"http://localhost/{page}",
        example=example, edited=bool(visit.workspace.edits), columns=parameters.columns, decimals=parameters.decimals,
        equations=dict(drawn_equations(app)),
        code=declared.code_at(parameters, example),
    )  # fmt: skip


def check_code(screen):
    """Check that the code of a screen gives every number in the screen's equations."""
    seen = set()
    for block, names, others in runs(screen.code, screen.columns):
        seen.add(block.key)
        for matrix in matrices_of(screen.equations.get(block.key, ())):
            called = expression(matrix.id, names, screen.columns)
            assert called, f"{matrix.id} is not in the code of {block.key}"
            found = np.atleast_2d(eval(called, dict(names)))
            values = matrix.values
            rows = slice(None) if matrix.only_row is None else matrix.only_row
            turned = found.T if screen.columns else found
            near = tolerance_of(called, names, others)
            if np.isinf(near):
                continue  # rounding alone decides this number
            np.testing.assert_allclose(turned[rows], values[rows], rtol=1e-9, atol=near, err_msg=matrix.id)
    assert set(screen.equations) - seen <= GIVEN
