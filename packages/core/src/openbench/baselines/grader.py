"""The grades of `baseline/grader`: an exact match of the answer and the target that a grading prompt contains."""

import re

from inspect_ai.model import ChatMessage

from openbench.errors import UsageError
from openbench.scorers.model_graded import exact_match_grade
from openbench.scorers.normalise import fold

_DATA = re.compile(r"\[BEGIN DATA\]\n(?P<rule>\*{3,})\n(?P<sections>.*)\n(?P=rule)\n\[END DATA\]\n", re.DOTALL)
_SECTION = re.compile(r"\[(?P<title>Task|Question|Submission|Criterion|Expert)\]: (?P<text>.*)", re.DOTALL)
_SECTIONS = 3  # the question, the answer and the target
_GRADES = ("GRADE: C", "GRADE: I")


def exact_match_verdict(message: ChatMessage) -> str:
    """Grade a prompt by comparing the answer with the targets, letter case and space aside.

    Args:
        message: A prompt of `ask_grader`, or of Inspect's `model_graded_qa` or `model_graded_fact` with the default
            template.

    Raises:
        UsageError: It is another prompt.
    """
    verdict = exact_match_grade(message) or _inspects(message.text)
    if verdict is None:
        raise UsageError(
            "baseline/grader can only grade prompts of openbench.scorers.model_graded.ask_grader, and those of "
            "Inspect's model_graded_qa and model_graded_fact with their default template and instructions. "
            "Name a model with --model-role grader=PROVIDER/MODEL."
        )
    return verdict


def _inspects(prompt: str) -> str | None:
    """Grade a prompt of Inspect's own scorers; None if it is another, or cannot be parsed without doubt."""
    data = _DATA.search(prompt)
    if not data or not all(grade in prompt[data.end() :] for grade in _GRADES):
        return None
    # A line of asterisks in a text would add a section, or one without a title.
    parts = [_SECTION.fullmatch(part) for part in data["sections"].split(f"\n{data['rule']}\n")]
    sections = {part["title"]: part["text"] for part in parts if part}
    answer, right = sections.get("Submission"), sections.get("Criterion", sections.get("Expert"))
    if len(parts) != _SECTIONS or len(sections) != _SECTIONS or answer is None or right is None:
        return None
    return _GRADES[0] if fold(answer) == fold(right) else _GRADES[1]
