"""RULER: thirteen tasks generated at any length, in tokens of the chosen tokenizer.

Hsieh et al. (2024), https://arxiv.org/abs/2404.06654
"""

from collections.abc import Iterator, Sequence
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import CORRECT, Metric, Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState, generate

from openbench.datasets import Rows, load_samples
from openbench.datasets.values import is_whole
from openbench.errors import UsageError
from openbench.scorers.cleaning import strip_reasoning
from openbench.scorers.reasons import unanswered
from openbench_longcontext.haystack import largest, read_materials, seeded, too_short
from openbench_longcontext.lengths import DEPTH, LENGTH, TOKENS, Lengths, depth_group, lengths_of
from openbench_longcontext.metadata import RULER
from openbench_longcontext.metrics import EXACT, exact
from openbench_longcontext.ruler_tasks import TASKS, Problem, Setting
from openbench_longcontext.ruler_wording import Prompt, wording
from openbench_longcontext.tokens import APPROXIMATE, token_counter
from openbench_scorers.cwe import score_cwe
from openbench_scorers.means import by_group, macro_average
from openbench_scorers.selection import Selection, selected_names

WAIVERS = {"leak": "the long text contains the answer, or the words that are counted"}
GOLDENS = {
    "multi": {"tasks": "niah_multikey_3,niah_multivalue,niah_multiquery"},
    "other": {"tasks": "vt,cwe,fwe"},
    "qa": {"tasks": "qa_1,qa_2"},
}

TASK = "task"
_LEAST = 1024
_DEFAULTS = {"length": 4096, "samples": 500}
_EVERYWHERE = "everywhere"
_FULL = 0.97  # of the limit; a sample that fills less is generated again with a greater size


@task
def ruler(
    length: Lengths | None = None,
    tasks: Selection = None,
    samples: int | None = None,
    tokenizer: str = APPROXIMATE,
    prompt: Prompt = "ours",
    seed: int = 42,
) -> Task:
    """Retrieve, trace and count in long texts, with the mean by task, length and depth.

    Args:
        length: The maximum number of tokens of prompt and answer, or several, such as `4096,8192`; by default 4096.
        tasks: One or more of the thirteen tasks, such as `niah_single_1,vt`; all by default.
        samples: The number of samples of each task at each length; by default 500.
        tokenizer: The tokenizer that lengths are counted with: `approximate`, `model`, or as in `token_counter`.
        prompt: `ours`, or `official`: the original's prompts, downloaded and pinned.
        seed: The random seed.

    Raises:
        UsageError: An argument is invalid, or a length is too short.
        DataError: Essays, words, questions, the prompt or the tokenizer cannot be read.
    """
    names = selected_names("ruler: tasks", tasks, TASKS)
    counter = token_counter(tokenizer)
    needed = dict.fromkeys(material for name in names for material in TASKS[name].materials)
    materials = read_materials(RULER, list(needed))
    defaults = {**_DEFAULTS, **materials.defaults}
    lengths = lengths_of(defaults["length"] if length is None else length, least=_LEAST)
    count = defaults["samples"] if samples is None else samples
    if not is_whole(count) or count < 1:
        raise UsageError(f"samples={count!r}: expected a whole number of 1 or more.")
    texts = wording(prompt)
    rows = [
        row
        for each in lengths
        for name in names
        for row in _rows(name, Setting(materials, texts, counter, each), count, seed)
    ]
    return Task(
        name="ruler",
        dataset=load_samples(Rows(materials.label, rows, materials.source), record_to_sample, name="ruler"),
        solver=generate(),
        scorer=ruler_scorer(),
        config=GenerateConfig(temperature=0.0),
        metadata={"tokenizer": counter.name},
    )


def _rows(name: str, setting: Setting, count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of a task at a length; all start with the size that fits the first."""
    kind, counter = TASKS[name], setting.counter
    limit = setting.length - kind.reserved

    def problem(index: int, size: int) -> Problem:
        make, most = kind.maker(setting, index)
        return make(seeded(seed, name, setting.length, index), size if most is None else min(size, most))

    def fits(size: int) -> bool:
        return counter.count(problem(0, size).prompt) <= limit

    _, most = kind.maker(setting, 0)
    fitting = largest(fits, kind.least, most)
    if fitting is None:
        raise too_short(setting.length, name)
    for index in range(count):
        sample = problem(index, size := fitting)
        tokens = counter.count(sample.prompt)
        if tokens < _FULL * limit:
            sample = problem(index, size := size * limit // tokens)
            tokens = counter.count(sample.prompt)
        while tokens > limit:
            if size == kind.least:
                raise too_short(setting.length, f"sample {index} of {name}")
            sample = problem(index, size := max(kind.least, min(size - 1, size * limit // tokens)))
            tokens = counter.count(sample.prompt)
        yield {
            "id": f"{name}-{setting.length}-{index}",
            "task": name,
            "prompt": sample.prompt,
            "answers": list(sample.answers),
            "length": counter.label(str(setting.length)),
            TOKENS: tokens,
            "depth": _EVERYWHERE if sample.depth is None else depth_group(sample.depth),
        }


def record_to_sample(row: dict[str, Any]) -> Sample:
    """Map a generated row."""
    metadata = {key: row[key] for key in (TASK, LENGTH, TOKENS, DEPTH)}
    return Sample(id=row["id"], input=row["prompt"], target=row["answers"], metadata=metadata)


def reference(sample: Sample) -> str:
    """Return all answers, or for questions the first alternative."""
    answers = list(sample.target)
    return answers[0] if TASKS[(sample.metadata or {})[TASK]].any_answer else ", ".join(answers)


def string_match_all(text: str, answers: Sequence[str]) -> float:
    """Return the share of answers that a text contains, ignoring case, from 0 to 1.

    Source: `string_match_all` of the original's `scripts/eval/synthetic/constants.py`, for one sample.
    """
    folded = text.lower()
    return sum(answer.lower() in folded for answer in answers) / len(answers)


def string_match_part(text: str, answers: Sequence[str]) -> float:
    """Return 1 if a text contains one of the answers, ignoring case, else 0.

    Source: `string_match_part` of the same file.
    """
    folded = text.lower()
    return float(any(answer.lower() in folded for answer in answers))


def _metrics() -> list[Metric]:
    return [
        macro_average(TASK),
        mean(),
        stderr(),
        exact(),
        by_group(TASK),
        by_group(LENGTH),
        by_group([TASK, LENGTH]),
        by_group(DEPTH),
    ]


@scorer(metrics=_metrics())
def ruler_scorer() -> Scorer:
    """Score a response, without its reasoning, with `string_match_all`, or for questions with `string_match_part`.

    `exact` is the share of responses that contain all answers as whole words, or for questions one of them.
    """

    async def score(state: TaskState, target: Target) -> Score:
        text = strip_reasoning(state.output.completion).strip()
        answers = list(target)
        if TASKS[state.metadata[TASK]].any_answer:
            value = string_match_part(text, answers)
            whole = any(score_cwe(text, [answer]).value == CORRECT for answer in answers)
        else:
            value = string_match_all(text, answers)
            whole = score_cwe(text, answers).value == CORRECT
        return Score(value=value, answer=text, reason=None if text else unanswered(text), metadata={EXACT: whole})

    return score
