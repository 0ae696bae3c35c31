"""MCQSample: a multiple-choice question as a model reads it."""

from string import ascii_uppercase
from typing import Annotated, Self

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage
from pydantic import AfterValidator, model_validator

from openbench.scorers.prompt_options import read_options


def _not_blank(value: str | list[ChatMessage]) -> str | list[ChatMessage]:
    if not value or (isinstance(value, str) and not value.strip()):
        raise ValueError("the input must be a text that is not blank, or a list of messages")
    return value


def _letter(value: str) -> str:
    if len(value) != 1 or value not in ascii_uppercase:
        raise ValueError("the target must be a single upper-case letter, A to Z")
    return value


class MCQSample(Sample):
    """A multiple-choice question: an input that is not blank, and the letter of one of its options as target."""

    input: Annotated[str | list[ChatMessage], AfterValidator(_not_blank)]
    target: Annotated[str, AfterValidator(_letter)]

    @model_validator(mode="after")
    def _target_is_an_option(self) -> Self:
        text = self.input if isinstance(self.input, str) else self.input[-1].text
        letters = ascii_uppercase[: len(self.choices)] if self.choices else "".join(read_options(text))
        if letters and self.target not in letters:
            raise ValueError(f"the target is {self.target!r}, but the options are {', '.join(letters)}")
        return self
