"""The question of a scene, with several answers of which students choose one. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pages.shared.class_questions.outcome import Outcome
from pages.shared.scene_files.scene import Scene

LETTERS = "ABCDEF"


@dataclass(frozen=True, slots=True)
class ChoiceQuestion:
    """The question of a scene (a page as a lecturer shows it), with its answers to choose from."""

    page: str
    number: int  # the number of the scene, counted from 1
    scene: Scene

    @property
    def text(self) -> str:
        """The question, as Markdown."""
        return self.scene.title

    @property
    def options(self) -> Mapping[str, str]:
        """The text of each answer, by its letter."""
        return dict(zip(LETTERS, self.scene.options, strict=False))

    @property
    def expected_outcomes(self) -> tuple[Outcome, ...]:
        """One outcome for each option, in order. Each gets a bar, even if nobody has chosen the option."""
        return tuple(map(self.outcome, self.options))

    def stored_form(self, answer: str) -> str:
        """Return an answer unchanged if it is the letter of one of the options. Raises: ValueError otherwise."""
        if answer not in self.options:
            letters = ", ".join(self.options)
            raise ValueError(f"The answer must be one of {letters}, but another text was sent. Choose one of these.")
        return answer

    def outcome(self, answer: str) -> Outcome:
        """Return the outcome of an answer. Its `right` is None if the scene does not say which answer is correct."""
        right = answer == self.scene.right if self.scene.right else None
        return Outcome(self.answer_text(answer), right)

    @property
    def correct_answer_text(self) -> str:
        """A sentence with the correct answer, as Markdown."""
        return f"The right answer is {self.answer_text(self.scene.right)}."

    def answer_text(self, answer: str) -> str:
        """Return the letter and the text of an answer, as Markdown."""
        return f"{answer}: {self.options[answer]}"
