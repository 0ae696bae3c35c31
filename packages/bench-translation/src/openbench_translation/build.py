"""Builds translation tasks: prompts, few-shot examples and scorers."""

import random
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser, GenerateConfig
from inspect_ai.solver import generate

from openbench.datasets import Rows, load_samples
from openbench.errors import UsageError
from openbench.run.summary import SIGNATURES
from openbench_scorers.options import at_least
from openbench_scorers.overlap import RESAMPLES
from openbench_translation.scorer import measures, translation, translation_comet

Prompt = Literal["instruct", "phrase"]
"""`instruct` is for chat models; `phrase`, which base models continue, is the prompt of lm-evaluation-harness."""

_INSTRUCTION = """\
Translate this text from {source} to {target}. Answer with the translation only, on a single line.

{text}"""
_PHRASE = "{source} phrase: {text}\n{target} phrase:"

Pair = Mapping[str, Any]
"""A row: `id`; `source`, the text; `references`, its translations; and optionally `docid` and `origlang`."""


class Language(NamedTuple):
    """A language: its code in the data, its name in the prompt, and its ISO 639-1 code, if it has one."""

    code: str
    name: str
    iso: str = ""


class Direction(NamedTuple):
    """The source and the target language of a translation."""

    source: Language
    target: Language


def translation_task(
    name: str,
    rows: Rows,
    direction: Direction,
    *,
    prompt: Prompt,
    shots: Sequence[Pair] = (),
    fewshot: int = 0,
    tokenize: str | None = None,
    comet: str | bool = False,
) -> Task:
    """Build a task that asks for translations of texts.

    Args:
        name: The benchmark's name.
        rows: The texts with their references.
        direction: The languages.
        prompt: The prompt format.
        shots: The rows from which examples are drawn.
        fewshot: The number of examples before each text, drawn for each sample with its id as the seed.
        tokenize: sacrebleu's tokenizer for BLEU; by default the one that sacrebleu uses for the target language.
        comet: Whether to score with COMET too: True, or the name of a COMET model.

    Raises:
        UsageError: An argument is not valid, or an extra is missing.
        DataError: A row cannot be converted to a sample.
    """
    if prompt not in ("instruct", "phrase"):
        raise UsageError(f"prompt={prompt!r}: expected 'instruct' or 'phrase'.")
    at_least("fewshot", fewshot, 0)
    if len(shots) < fewshot:
        raise UsageError(f"fewshot={fewshot}: there are {len(shots)} examples to draw from.")

    def to_sample(row: dict[str, Any]) -> Sample:
        id_ = f"{direction.source.code}-{direction.target.code}-{row['id']}"
        drawn = random.Random(f"0:{id_}").sample(list(shots), fewshot) if fewshot else []  # noqa: S311 - no secret
        optional = {key: row[key] for key in ("docid", "origlang") if row.get(key)}
        return Sample(
            id=id_,
            input=_input(row, drawn, direction, prompt),
            target=list(row["references"]),
            metadata={"source": row["source"], **optional},
        )

    first_line = prompt == "phrase"
    language = direction.target.iso
    scorers = [translation(language, direction.target.name, tokenize, first_line)]
    if comet:
        model = {} if comet is True else {"model": comet}
        scorers.append(translation_comet(direction.target.name, first_line=first_line, **model))
    dataset = load_samples(rows, to_sample, name=name)
    counts = {len(each.target) for each in dataset}
    references = counts.pop() if len(counts) == 1 else None
    return Task(
        name=name,
        dataset=dataset,
        solver=generate(),
        scorer=scorers,
        config=GenerateConfig(stop_seqs=["\n"]) if first_line else GenerateConfig(),
        metadata={
            SIGNATURES: {
                f"corpus_{key}": measure.signature(references, resamples=RESAMPLES)
                for key, measure in measures(language, tokenize).items()
            }
        },
    )


def _input(row: Pair, drawn: Sequence[Pair], direction: Direction, prompt: Prompt) -> str | list[ChatMessage]:
    questions = [_question(each["source"], direction, prompt) for each in (*drawn, row)]
    answers = [each["references"][0] for each in drawn]
    if prompt == "phrase":
        return "\n\n".join([*map(" ".join, zip(questions, answers, strict=False)), questions[-1]])
    if not drawn:
        return questions[-1]
    turns: list[ChatMessage] = []
    for question, answer in zip(questions, answers, strict=False):
        turns += [ChatMessageUser(content=question), ChatMessageAssistant(content=answer)]
    return [*turns, ChatMessageUser(content=questions[-1])]


def _question(text: str, direction: Direction, prompt: Prompt) -> str:
    template = _PHRASE if prompt == "phrase" else _INSTRUCTION
    return template.format(source=direction.source.name, target=direction.target.name, text=text)
