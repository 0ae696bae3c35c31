"""HealthBench: conversations about health, graded by criteria that physicians wrote, with points for each.

Arora et al. (2025), https://arxiv.org/abs/2505.08775
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, get_args

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer, stderr
from inspect_ai.solver import TaskState, generate
from inspect_ai.util import collect

from openbench.datasets import load_samples, read_rows, read_text
from openbench.metadata import DatasetSource
from openbench.metrics.means import figure
from openbench_judged.metadata import HEALTHBENCH, HEALTHBENCH_CONSENSUS, HEALTHBENCH_GRADER, HEALTHBENCH_HARD
from openbench_judges.agreement import judging
from openbench_judges.panel import IDEAL, Models, Panel, Question, scored, verdict_of
from openbench_judges.prompts import JudgePrompt
from openbench_judges.verdicts import flag
from openbench_scorers.attempts import PromptSource
from openbench_scorers.options import one_of
from openbench_scorers.responses import response
from openbench_scorers.templates import DEFAULT_GRADER

RUBRICS_KEY, THEME_KEY, MET_KEY = "rubrics", "theme", "met"

PROMPT = JudgePrompt(
    "healthbench",
    1,
    {
        "en": """\
Does the last response of this conversation meet a criterion?

[Conversation]
{conversation}

[Criterion]
{criterion}

Judge the last response of the assistant only. It meets a criterion with several parts if it meets all of them; what
follows "such as", "for example" or "including" are examples, not all of which are needed. A criterion may describe a
fault: it is met if the response has the fault, and not met if the response is good.

Reply with one JSON object and nothing else:
{{"explanation": "in one or two sentences", "criteria_met": true | false}}""",
    },
)

_MESSAGES: Mapping[str, type[ChatMessageSystem | ChatMessageUser | ChatMessageAssistant]] = {
    "system": ChatMessageSystem,
    "user": ChatMessageUser,
    "assistant": ChatMessageAssistant,
}
_MET = flag("criteria_met")


@task
def healthbench(grader_model: Models = None, prompts: PromptSource = "ours", allow_self_judge: bool = False) -> Task:
    """Answer all 5,000 conversations.

    Args:
        grader_model: The grader, or several; by default the model of the role `grader`, else GPT-4.1 of 2025-04-14.
        prompts: The grader's prompt: `ours`, or the `official` one, which is downloaded once.
        allow_self_judge: Whether the evaluated model may be the grader.
    """
    return _task("healthbench", HEALTHBENCH, grader_model, prompts, allow_self_judge=allow_self_judge)


@task
def healthbench_hard(
    grader_model: Models = None, prompts: PromptSource = "ours", allow_self_judge: bool = False
) -> Task:
    """Answer the 1,000 hardest conversations.

    Args:
        grader_model: The grader, or several; by default the model of the role `grader`, else GPT-4.1 of 2025-04-14.
        prompts: The grader's prompt: `ours`, or the `official` one, which is downloaded once.
        allow_self_judge: Whether the evaluated model may be the grader.
    """
    return _task("healthbench_hard", HEALTHBENCH_HARD, grader_model, prompts, allow_self_judge=allow_self_judge)


@task
def healthbench_consensus(
    grader_model: Models = None, prompts: PromptSource = "ours", allow_self_judge: bool = False
) -> Task:
    """Answer the 3,671 conversations with criteria on which several physicians agree.

    Args:
        grader_model: The grader, or several; by default the model of the role `grader`, else GPT-4.1 of 2025-04-14.
        prompts: The grader's prompt: `ours`, or the `official` one, which is downloaded once.
        allow_self_judge: Whether the evaluated model may be the grader.
    """
    source = HEALTHBENCH_CONSENSUS
    return _task("healthbench_consensus", source, grader_model, prompts, allow_self_judge=allow_self_judge)


def reference(_: Sample) -> str:
    """Return the placeholder of an answer that meets all criteria with positive points, and no others."""
    return IDEAL


def record_to_sample(row: dict[str, Any]) -> Sample:
    """Map a row: its conversation, and its criteria with their points and tags."""
    if not any(rubric["points"] > 0 for rubric in row["rubrics"]):
        raise ValueError("rubrics: no criterion has positive points")
    messages: list[ChatMessage] = [_MESSAGES[turn["role"]](content=turn["content"]) for turn in row["prompt"]]
    themes = [tag.partition(":")[2] for tag in row["example_tags"] if tag.startswith("theme:")]
    rubrics = [{name: rubric[name] for name in ("criterion", "points", "tags")} for rubric in row["rubrics"]]
    metadata = {RUBRICS_KEY: rubrics, THEME_KEY: themes[0] if themes else None}
    return Sample(id=row["prompt_id"], input=messages, metadata=metadata)


def requests(sample: Sample) -> int:
    """Return the number of requests to a grader for a sample: one for each criterion."""
    return len((sample.metadata or {})[RUBRICS_KEY])


def share_of_points(rubrics: Sequence[Mapping[str, Any]], met: Sequence[bool]) -> float | None:
    """Return the points of the met criteria, divided by the maximum points; below 0 if faults outweigh.

    Source: Arora et al. 2025, HealthBench, arXiv 2505.08775, section 3.

    Returns:
        The share, at most 1; None if no criterion has positive points.
    """
    possible = sum(rubric["points"] for rubric in rubrics if rubric["points"] > 0)
    won = sum(rubric["points"] for rubric, is_met in zip(rubrics, met, strict=True) if is_met)
    return won / possible if possible else None


@metric
def healthbench_score() -> Metric:
    """Report the mean of all shares, clipped to the range from 0 to 1."""

    def calculate(scores: list[SampleScore]) -> Value:
        return _clipped(figure(score) for score in scores)

    return calculate


@metric
def healthbench_figures() -> Metric:
    """Report the clipped mean of each theme, and of each axis, which counts only its own criteria."""

    def calculate(scores: list[SampleScore]) -> Value:
        groups: defaultdict[str, list[float]] = defaultdict(list)
        for score in scores:
            held, metadata = score.score.metadata or {}, score.sample_metadata or {}
            groups[f"theme_{metadata.get(THEME_KEY)}"].append(figure(score))
            for axis, share in _by_axis(metadata.get(RUBRICS_KEY, ()), held.get(MET_KEY, ())):
                groups[f"axis_{axis}"].append(share)
        return {name: _clipped(values) for name, values in sorted(groups.items())}

    return calculate


@scorer(
    metrics=[healthbench_score(), stderr(), healthbench_figures(), judging()],
    default_grader=DEFAULT_GRADER,
    grader_requests="openbench_judged.healthbench:requests",
    self_judge=False,
)
def healthbench_scorer(models: Models = None, prompts: PromptSource = "ours", allow_self_judge: bool = False) -> Scorer:
    """Ask about each criterion and score `share_of_points`; an unreadable verdict leaves the sample unscored.

    Args:
        models: One or several graders, whose majority decides; by default the model of the role `grader`, else GPT-4.1
            of 2025-04-14.
        prompts: The graders' prompt: `ours`, or the `official` one, which is downloaded once.
        allow_self_judge: Whether the evaluated model may be a grader.

    Raises:
        UsageError: An option is invalid.
    """
    panel = Panel.of(models, allow_self_judge=allow_self_judge)
    one_of("prompts", prompts, get_args(PromptSource))
    official = read_text(HEALTHBENCH_GRADER, variable="GRADER_TEMPLATE") if prompts == "official" else None

    async def score(state: TaskState, target: Target) -> Score:
        answer = response(state.output.completion)
        rubrics: Sequence[Mapping[str, Any]] = state.metadata[RUBRICS_KEY]
        if not answer:
            return Score(value=0.0, answer="", reason="no_response", metadata={MET_KEY: [False] * len(rubrics)})
        conversation = _transcript([*_input_messages(state), ChatMessageAssistant(content=answer)])

        def question(rubric: Mapping[str, Any]) -> Question[bool]:
            wanted, points = rubric["points"] > 0, rubric["points"]
            if official is None:
                prompt = PROMPT.render(conversation=conversation, criterion=rubric["criterion"])
            else:
                item = f"[{points}] {rubric['criterion']}"
                prompt = official.replace("<<conversation>>", conversation).replace("<<rubric_item>>", item)
            return Question(
                label="simple-evals/healthbench" if official else PROMPT.label(),
                prompt=prompt,
                read=_MET,
                best=json.dumps({"criteria_met": wanted}),
                worst=json.dumps({"criteria_met": not wanted}),
                answer=answer,
                targets=list(target),
            )

        ballots = await collect(*(panel.ask(question(rubric), evaluated=state.model) for rubric in rubrics))
        verdicts = [verdict_of(ballot) for ballot in ballots]
        met = [bool(verdict) for verdict in verdicts]
        value = None if None in verdicts else share_of_points(rubrics, met)
        return scored(value, ballots, answer, metadata={MET_KEY: verdicts})

    return score


def _task(name: str, source: DatasetSource, grader: Models, prompts: PromptSource, *, allow_self_judge: bool) -> Task:
    return Task(
        name=name,
        dataset=load_samples(read_rows(source), record_to_sample, name=name),
        solver=generate(),
        scorer=healthbench_scorer(grader, prompts, allow_self_judge),
    )


def _input_messages(state: TaskState) -> list[ChatMessage]:
    return [ChatMessageUser(content=state.input)] if isinstance(state.input, str) else list(state.input)


def _transcript(messages: Iterable[ChatMessage]) -> str:
    return "\n\n".join(f"{message.role}: {message.text}" for message in messages)


def _by_axis(rubrics: Sequence[Mapping[str, Any]], met: Sequence[bool]) -> Iterable[tuple[str, float]]:
    parts: defaultdict[str, list[tuple[Mapping[str, Any], bool]]] = defaultdict(list)
    for rubric, is_met in zip(rubrics, met, strict=False):
        for tag in rubric["tags"]:
            if tag.startswith("axis:"):
                parts[tag.partition(":")[2]].append((rubric, is_met))
    for axis, pairs in parts.items():
        of, are_met = zip(*pairs, strict=True)
        if (share := share_of_points(of, are_met)) is not None:
            yield axis, share


def _clipped(values: Iterable[float]) -> float:
    known = list(values)
    return min(1.0, max(0.0, fmean(known))) if known else float("nan")
