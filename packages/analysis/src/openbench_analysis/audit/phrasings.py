"""Ways in which models phrase an answer, by its kind: a letter, a number or a short text."""

import re
from collections.abc import Mapping, Sequence
from typing import Literal

Kind = Literal["letter", "number", "text"]

_NUMBER = re.compile(r"-?\d[\d,]*(\.\d+)?")
_MOST_WORDS = 6

ALL: Sequence[str] = (
    "{answer}",
    "{answer}.",
    "**{answer}**",
    "Answer: {answer}",
    "ANSWER: {answer}",
    "answer: {answer}",
    "Answer: **{answer}**",
    "**Answer: {answer}**",
    "**Answer:** {answer}",
    "The answer is {answer}.",
    "The correct answer is {answer}.",
    "The final answer is **{answer}**.",
    "So the answer must be {answer}.",
    "Let me think step by step.\n\nFirst I look at what is given, then I decide.\n\nAnswer: {answer}",
    "Let me think step by step. First I look at what is given.\n\nTherefore, the answer is {answer}",
    "At first sight it may be {other}, but that is wrong.\n\nAnswer: {answer}",
    "<think>Is it {other}? No.</think>\n\nAnswer: {answer}",
    "\\boxed{{{answer}}}",
    "Answer: $\\boxed{{{answer}}}$",
)
OF_KIND: Mapping[Kind, Sequence[str]] = {
    "letter": ("({answer})", "{answer}) {text}", "Answer: ({answer})", "Answer: {answer}. {text}", "Option {answer}"),
    "number": (
        "#### {answer}",
        "${answer}$",
        "= {answer}",
        "Answer: ${answer}$",
        "The result is {answer}.\n#### {answer}",
    ),
    "text": ('"{answer}"', "It is {answer}.", 'Answer: "{answer}"', "I believe that it is {answer}."),
}
NO_ANSWERS: Sequence[str] = (
    "",
    "I don't know.",
    "I cannot answer this question.",
    "None of these is right, and all are.",
)


def kind_of(target: str, options: Mapping[str, str]) -> Kind | None:
    """Return what kind of answer a target is; None if it is of another, such as code or a long text."""
    if target in options:
        return "letter"
    if _NUMBER.fullmatch(target.strip()):
        return "number"
    short = target.strip() and "\n" not in target and len(target.split()) <= _MOST_WORDS
    return "text" if short else None


def phrased(kind: Kind, answer: str, other: str, text: str = "") -> dict[str, str]:
    """Return the phrasings of an answer by their templates.

    Args:
        kind: The answer's kind.
        answer: The answer.
        other: Another answer, which some phrasings dismiss.
        text: The text of the option, if the answer is a letter.
    """
    templates = (*ALL, *OF_KIND[kind])
    return {template: template.format(answer=answer, other=other, text=text) for template in templates}
