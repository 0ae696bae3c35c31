r"""Scores the content of the last `\boxed{...}`, a formula or a number."""

import re
from collections.abc import Sequence

from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.scorers.answer_phrases import ENGLISH, Language, find_language
from openbench.scorers.cleaning import cut_run_on, strip_reasoning
from openbench.scorers.matching import score_answer
from openbench_scorers.boxes import last_boxed
from openbench_scorers.numerals import Number, NumberRule, read_number

# Parts of a formula that change its appearance, but not its meaning.
_LAYOUT = re.compile(
    r"(\\\\)|\\(?:left|right|[bB]igg?[lr]?|displaystyle|limits|quad|qquad)(?![A-Za-z])|\\[,;:! ]|\\?\$|~|\s+"
    r"|\^\s*(?:\{\s*\\circ\s*\}|\\circ(?![A-Za-z]))|\\degree(?![A-Za-z])|°"
)
_WORDS = re.compile(r"\\(?:text(?:bf|it|rm|sf|tt|normal)?|math(?:bf|it|rm|sf|tt|normal)|mbox|operatorname)\{([^{}]*)\}")
_SYNONYMS = re.compile(r"\\(?:([dtc])frac|leq|geq|neq|%|lbrace|rbrace)(?![A-Za-z])")
_SAME_AS = {"\\leq": "\\le", "\\geq": "\\ge", "\\neq": "\\ne", "\\%": "%", "\\lbrace": "\\{", "\\rbrace": "\\}"}
_BARE_FRACTION = re.compile(r"\\frac(?:(\d)(\d)|(\d)(\{[^{}]*\})|(\{[^{}]*\})(\d))")
_BARE_ROOT = re.compile(r"\\sqrt(\w)")
_SINGLE = re.compile(r"([_^])\{(\w)\}")
_THOUSANDS = re.compile(r"(?<=\d)(?:,(?:\\!)?|\{,\}|\\,)(?=\d{3}(?!\d))")


def score_boxed(completion: str, targets: Sequence[str], language: Language = ENGLISH) -> Score:
    r"""Score the content of the last `\boxed{...}` of a completion; a target may also be boxed.

    It is correct if it differs from the target only in notation (see `normalise_latex`), or if both are numbers of the
    same value (`1/2`, `\frac{1}{2}` and `0.5`). Use `symbolic` for general equivalence.

    Returns:
        Correct or incorrect. A completion without a box is incorrect and unanswered; a sample without a target is
        unscored.
    """
    answer = last_boxed(cut_run_on(strip_reasoning(completion), language))
    return score_answer(completion, answer, targets, same_formula)


@scorer(metrics=[accuracy(), stderr()])
def boxed(language: str = ENGLISH.name) -> Scorer:
    r"""Score the content of the last `\boxed{...}` of completions: 1 for correct, 0 for wrong, higher is better.

    Args:
        language: The language in which a base model may continue with further questions.
    """
    known = find_language(language)

    async def score(state: TaskState, target: Target) -> Score:
        return score_boxed(state.output.completion, list(target), known)

    return score


def same_formula(answer: str, target: str) -> bool:
    """Return whether two formulas differ only in notation, or are numbers of the same value."""
    answer, target = (normalise_latex(last_boxed(text) or text) for text in (answer, target))
    if answer == target:
        return True
    left, right = _number(answer), _number(target)
    return left is not None and right is not None and NumberRule().same(left, right)


def _number(formula: str) -> Number | None:
    """Read a whole formula as a number; a remaining comma is not a thousands separator."""
    number = None if "," in formula else read_number(formula)
    return number if number and number.text == formula else None


def normalise_latex(text: str) -> str:
    r"""Return a formula without parts that change only its appearance.

    Spaces, dollar signs, `\left`, `\text{...}`, degree signs, thousands separators between digits and a full stop at
    the end are removed; `\dfrac` becomes `\frac`, `\frac12` `\frac{1}{2}`, `\sqrt2` `\sqrt{2}`, and `x^{2}` `x^2`.
    """
    text = _THOUSANDS.sub("", _WORDS.sub(r"\1", text))
    text = _SYNONYMS.sub(lambda found: "\\frac" if found[1] else _SAME_AS[found[0]], text)
    text = _LAYOUT.sub(r"\1", text)
    text = _BARE_FRACTION.sub(_braced_fraction, text)
    text = _BARE_ROOT.sub(r"\\sqrt{\1}", text)
    text = _SINGLE.sub(r"\1\2", text)
    return text.rstrip(".")


def _braced_fraction(found: re.Match[str]) -> str:
    numerator, denominator = (part.strip("{}") for part in found.groups() if part is not None)
    return f"\\frac{{{numerator}}}{{{denominator}}}"
