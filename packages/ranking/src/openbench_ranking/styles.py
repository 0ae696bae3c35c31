"""The styles of `MCQEval` that rank by log-probability.

- `letters_ranked`: the options with letters; the letters are ranked.
- `cloze`: the question alone; the options' texts are ranked.
- `cloze_unconditional`: likewise, minus the log-probability of each text without the question.
- `bits_per_byte`: the question alone; how well the model predicts the correct option's text.

The prompts are those of OLMES (Gu et al. 2024, arXiv 2406.08446), without its examples. White space around the question
and the options is stripped, since a continuation begins with exactly one space.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.log import HeadlineMetric
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver

from openbench.errors import UsageError
from openbench.tasks.mcq import MCQRecord, MCQStyle
from openbench.tasks.prompts import option_letters, option_lines
from openbench_ranking.request import is_ranked, ranking_sample
from openbench_ranking.scorer import FIGURES, create_ranking_scorer
from openbench_ranking.solver import rank

ANSWER_CUE = "Answer:"
"""The text before a ranked continuation, as in OLMES and lm-evaluation-harness."""


def cloze_prompt(question: str) -> str:
    """Format a question whose answer's text is ranked: `Question: …`, to be followed by `ANSWER_CUE`.

    Source: the cloze formulation of OLMES.
    """
    return f"Question: {question}"


def ranked_letters_prompt(question: str, options: Sequence[str | float]) -> str:
    """Format a question whose options' letters are ranked: `Question: …` and a line ` A. …` for each option.

    The space before a letter makes it the same token as in the continuation ` A`.

    Source: the multiple-choice formulation of OLMES.

    Raises:
        ValueError: There are more than 26 options.
    """
    return "\n".join([cloze_prompt(question), *option_lines(options, label=" {}. ")])


def _letters_ranked(record: MCQRecord) -> Sample:
    question, options = _stripped(record)
    letters = option_letters(len(options))
    return _sample(record, ranked_letters_prompt(question, options), letters, record.correct)


def _cloze(record: MCQRecord) -> Sample:
    question, options = _stripped(record)
    return _sample(record, cloze_prompt(question), options, record.correct)


def _bits_per_byte(record: MCQRecord) -> Sample:
    question, options = _stripped(record)
    return _sample(record, cloze_prompt(question), [options[record.correct]], 0)


def _stripped(record: MCQRecord) -> tuple[str, list[str]]:
    return record.question.strip(), [option.strip() for option in record.options]


def _sample(record: MCQRecord, prompt: str, ranked: Sequence[str], gold: int) -> Sample:
    return ranking_sample(
        input=[ChatMessageUser(content=prompt), ChatMessageAssistant(content=ANSWER_CUE)],
        continuations=[f" {text}" for text in ranked],
        gold=[gold],
        id=record.id,
        metadata=record.sample_metadata,
    )


def _style(
    render: Callable[[MCQRecord], Sample], figures: Sequence[str], solver: Callable[[], Solver] = rank
) -> MCQStyle:
    def create(
        group_keys: Sequence[str] | None,
        additional_metrics: Sequence[Any] | None,
        language: str,  # noqa: ARG001 - nothing is read from a text
    ) -> Callable[[], Scorer]:
        return create_ranking_scorer(group_keys, additional_metrics, figures)

    headline = HeadlineMetric(score=figures[0], metric="mean")
    return MCQStyle(render=render, fits=is_ranked, solver=solver, scorer=create, headline=headline)


LETTERS_RANKED = _style(_letters_ranked, FIGURES)
CLOZE = _style(_cloze, FIGURES)
CLOZE_UNCONDITIONAL = _style(_cloze, ("acc_uncond", *FIGURES), partial(rank, unconditional=ANSWER_CUE))
BITS_PER_BYTE = _style(_bits_per_byte, ("bits_per_byte",))


def mapping_of(name: str, style: str, **mappings: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, Any]], Any]:
    """Return the mapping of rows for a style, for a benchmark with prompts for each style.

    Args:
        name: The benchmark, for error messages.
        style: The requested style.
        mappings: The mappings by style; that of `cloze` also serves `cloze_unconditional`.

    Raises:
        UsageError: The benchmark has no such style.
    """
    known = {**mappings, **({"cloze_unconditional": mappings["cloze"]} if "cloze" in mappings else {})}
    if style not in known:
        raise UsageError(f"{name}: style={style!r}: expected one of {', '.join(known)}.")
    return known[style]
