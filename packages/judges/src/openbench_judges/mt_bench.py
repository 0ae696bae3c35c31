"""MT-Bench's multi-turn conversations and judges: each turn is rated, or compared with a rival's in both orders.

Zheng et al. 2023, Judging LLM-as-a-judge with MT-Bench and Chatbot Arena, arXiv 2306.05685.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, get_args

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, mean, metric, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import collect

from openbench.scorers.reasons import unscored
from openbench.tasks.solvers import static
from openbench_judges.agreement import CONSISTENCY_KEY, VERDICT_KEY, judging
from openbench_judges.mt_bench_prompts import PAIR, SINGLE, WORDS, official_prompt
from openbench_judges.pairs import READ_PAIR, VALUES, Place, compare
from openbench_judges.panel import Models, Panel, Question, mean_of, scored
from openbench_judges.verdicts import rating
from openbench_scorers.attempts import PromptSource
from openbench_scorers.options import is_number, one_of
from openbench_scorers.responses import response
from openbench_scorers.templates import DEFAULT_GRADER

LEAST, MOST = 1.0, 10.0
REPLIES_KEY = "replies"
RIVAL_KEY = "rival"
RATINGS_KEY = "ratings"
CATEGORY_KEY = "category"

_READ_RATING = rating(LEAST, MOST)
_GUIDED = frozenset({"math", "reasoning", "coding"})


@dataclass(frozen=True)
class Conversation:
    """The questions of a sample and one model's answers, up to the turn that is judged.

    Attributes:
        questions: The users' questions.
        answers: The answers.
        references: The reference answers, if the sample's category uses them.
    """

    questions: Sequence[str]
    answers: Sequence[str]
    references: Sequence[str] = field(default=())

    def up_to(self, turn: int) -> "Conversation":
        """Return the first turns."""
        return Conversation(self.questions[:turn], self.answers[:turn], self.references[:turn])

    @property
    def guided(self) -> bool:
        """Whether each question has a reference answer."""
        return bool(self.questions) and len(self.references) == len(self.questions)


def questions_of(given: object, metadata: Mapping[str, Any]) -> list[str]:
    """Return a sample's questions: those in its metadata (`turns`), or its input and `turn2`.

    Args:
        given: The sample's input.
        metadata: Its metadata.
    """
    if turns := metadata.get("turns"):
        return [str(turn) for turn in turns]
    first = given if isinstance(given, str) else "\n\n".join(message.text for message in given)  # type: ignore[attr-defined]
    return [first, *([str(metadata["turn2"])] if metadata.get("turn2") else [])]


def references_of(metadata: Mapping[str, Any]) -> list[str]:
    """Return a sample's reference answers (`reference`, or `reference_turn1`, …) if its category uses them."""
    if metadata.get(CATEGORY_KEY, "math") not in _GUIDED:
        return []
    given = metadata.get("reference") or [metadata.get("reference_turn1"), metadata.get("reference_turn2")]
    return [str(each) for each in ([given] if isinstance(given, str) else given) if each]


def conversation_of(state: TaskState) -> Conversation:
    """Return a state's conversation; without `mtbench_solver`, the output is the answer to every turn."""
    questions = questions_of(state.input, state.metadata)
    replies = state.metadata.get(REPLIES_KEY) or [state.output.completion] * len(questions)
    return Conversation(questions, [response(reply) for reply in replies], references_of(state.metadata))


def requests(sample: Sample) -> int:
    """Return the number of requests to a grader for a sample: one for each turn."""
    return len(questions_of(sample.input, sample.metadata or {}))


def pair_requests(sample: Sample) -> int:
    """Return the number of requests to a grader for a comparison: two for each turn."""
    return 2 * requests(sample)


@static
@solver
def mtbench_solver() -> Solver:
    """Ask the questions of a sample in one conversation.

    The first question is the input. The metadata contain all questions as the list `turns`, or the second as `turn2`;
    the answers are stored there as `replies`.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        replies: list[str] = []
        for question in questions_of(state.input, state.metadata):
            if replies:  # the first question is the input
                state.messages.append(ChatMessageUser(content=question))
            state = await generate(state)
            replies = [*replies, state.output.completion]
            state.metadata = {**state.metadata, REPLIES_KEY: replies}
            if state.completed:
                break
        return state

    return solve


@metric
def mtbench_ratings() -> Metric:
    """Report the ratings from 1 to 10, as the original does: `rating`, and by turn (`rating_turn_1`) and category."""

    def calculate(scores: list[SampleScore]) -> Value:
        groups: dict[str, list[float]] = {"rating": []}
        for score in scores:
            ratings = (score.score.metadata or {}).get(RATINGS_KEY, ())
            groups["rating"] += ratings
            for turn, value in enumerate(ratings, start=1):
                groups.setdefault(f"rating_turn_{turn}", []).append(value)
            if category := (score.sample_metadata or {}).get(CATEGORY_KEY):
                groups.setdefault(f"rating_{category}", []).extend(ratings)
        return {name: fmean(values) if values else float("nan") for name, values in sorted(groups.items())}

    return calculate


@scorer(
    metrics=[mean(), stderr(), mtbench_ratings(), judging()],
    default_grader=DEFAULT_GRADER,
    grader_requests="openbench_judges.mt_bench:requests",
    self_judge=False,
    builtin=True,
)
def mtbench_scorer(
    models: Models = None, language: str = "en", prompts: PromptSource = "ours", allow_self_judge: bool = False
) -> Scorer:
    """Rate each turn from 1 to 10; the value is the mean over turns of (rating - 1) / 9, from 0 to 1.

    The grader of the second turn also sees the first; in math, reasoning and coding, it sees the reference answers if
    the sample has them. A sample with an unreadable rating is unscored; an empty answer is rated 1.

    Args:
        models: One or several graders, whose ratings are averaged; by default the model of the role `grader`, else
            GPT-4.1 of 2025-04-14.
        language: The language of the prompts `ours`: `en`, `de`, `fi` or `ko`.
        prompts: The graders' prompts: `ours`, or the `official` ones in English, which are downloaded once.
        allow_self_judge: Whether the evaluated model may be a grader.

    Raises:
        UsageError: An option is invalid.
    """
    panel = Panel.of(models, allow_self_judge=allow_self_judge)
    ask = _asking(SINGLE, language, prompts)

    async def score(state: TaskState, target: Target) -> Score:
        whole = conversation_of(state)
        if problem := _unanswered(whole):
            return problem
        answered = [turn for turn in _turns(whole) if whole.answers[turn - 1]]
        ballots = await collect(
            *(panel.ask(_single(ask, whole.up_to(turn), list(target)), evaluated=state.model) for turn in answered)
        )
        values = dict(zip(answered, map(mean_of, ballots), strict=True))
        ratings = [values.get(turn, LEAST) for turn in _turns(whole)]
        known = [each for each in ratings if each is not None]
        value = (fmean(known) - LEAST) / (MOST - LEAST) if len(known) == len(ratings) else None
        reason = None if answered else "no_response"
        return scored(value, ballots, _shown(whole), metadata={RATINGS_KEY: ratings}, reason=reason)

    return score


@scorer(
    metrics=[mean(), stderr(), judging()],
    default_grader=DEFAULT_GRADER,
    grader_requests="openbench_judges.mt_bench:pair_requests",
    self_judge=False,
    builtin=True,
)
def mtbench_pair_scorer(
    models: Models = None, language: str = "en", prompts: PromptSource = "ours", allow_self_judge: bool = False
) -> Scorer:
    """Compare each turn with a rival's in both orders; the value is the mean over turns of win 1, tie 0.5, loss 0.

    The rival's answers are in the metadata: `rival`, one text for each turn. Verdicts that differ between both orders
    are a tie. A sample with an unreadable verdict is unscored. An empty answer loses.

    Args:
        models: One or several graders, whose majority decides; by default the model of the role `grader`, else GPT-4.1
            of 2025-04-14.
        language: The language of the prompts `ours`: `en`, `de`, `fi` or `ko`.
        prompts: The graders' prompts: `ours`, or the `official` ones in English, which are downloaded once.
        allow_self_judge: Whether the evaluated model may be a grader.

    Raises:
        UsageError: An option is invalid.
    """
    panel = Panel.of(models, allow_self_judge=allow_self_judge)
    ask = _asking(PAIR, language, prompts)

    async def score(state: TaskState, target: Target) -> Score:
        whole = conversation_of(state)
        given = state.metadata.get(RIVAL_KEY)
        if not isinstance(given, list) or len(given) < len(whole.questions):
            return unscored("the sample's metadata lacks a rival's answer to each turn", state.output.completion)
        if problem := _unanswered(whole):
            return problem
        rival = Conversation(whole.questions, [str(each) for each in given], whole.references)
        answered = [turn for turn in _turns(whole) if whole.answers[turn - 1]]

        def question(turn: int) -> Callable[[Place], Question[str]]:
            return lambda place: _pair(ask, whole.up_to(turn), rival.up_to(turn), place, list(target))

        matches = await collect(*(compare(panel, question(turn), evaluated=state.model) for turn in answered))
        by_turn = dict(zip(answered, [match.outcome for match in matches], strict=True))
        outcomes = [by_turn.get(turn, "loss") for turn in _turns(whole)]
        known = [VALUES[outcome] for outcome in outcomes if outcome]
        value = fmean(known) if len(known) == len(outcomes) else None
        consistent = [share for match in matches if is_number(share := match.consistency())]
        records = {"outcomes": outcomes, CONSISTENCY_KEY: fmean(consistent) if consistent else None}
        ballots = [ballot for match in matches for ballot in (match.as_a, match.as_b)]
        metadata = {**records, VERDICT_KEY: "/".join(map(str, outcomes))}
        reason = None if answered else "no_response"
        return scored(value, ballots, _shown(whole), metadata=metadata, reason=reason)

    return score


async def rate_last(
    panel: Panel, conversation: Conversation, *, evaluated: object, language: str, targets: Sequence[str] = ()
) -> Score:
    """Rate a conversation's last turn, from 1 to 10, with the prompt `ours`; unscored if no rating can be read."""
    ask = _asking(SINGLE, SINGLE.nearest(language), "ours")
    ballot = await panel.ask(_single(ask, conversation, targets), evaluated=evaluated)
    return scored(mean_of(ballot), [ballot], conversation.answers[-1])


async def compare_last(
    panel: Panel,
    conversation: Conversation,
    rival: Conversation,
    *,
    evaluated: object,
    language: str,
    targets: Sequence[str] = (),
) -> Score:
    """Compare a conversation's last turn with a rival's, in both orders, with `ours`: win 1, tie 0.5, loss 0."""
    ask = _asking(PAIR, PAIR.nearest(language), "ours")
    match = await compare(panel, lambda place: _pair(ask, conversation, rival, place, targets), evaluated=evaluated)
    value = VALUES[match.outcome] if match.outcome else None
    metadata = {VERDICT_KEY: match.outcome, CONSISTENCY_KEY: match.consistency()}
    return scored(value, [match.as_a, match.as_b], conversation.answers[-1], metadata=metadata)


Asking = Callable[[Conversation, Conversation | None], tuple[str, str, str | None]]
"""Returns the label, the text and the system message of the prompt for one or two conversations."""


def _asking(prompt: Any, language: str, prompts: PromptSource) -> Asking:
    one_of("prompts", prompts, get_args(PromptSource))
    if prompts == "official":
        one_of("language", language, ["en"])
        return _official
    prompt.check_language(language)

    def ours(first: Conversation, second: Conversation | None) -> tuple[str, str, str | None]:
        words = WORDS[language]
        focus = [words["second"]] * (len(first.questions) > 1) + [words["guided"]] * first.guided
        names = ("",) if second is None else (" A", " B")
        parts = [_transcript(each, words, name) for each, name in zip((first, second), names, strict=False) if each]
        reference = [_references(first, words)] if first.guided else []
        text = prompt.render(
            language, focus="".join(f"{each}\n" for each in focus), conversation="\n\n".join([*reference, *parts])
        )
        return prompt.label(language), text, None

    return ours


def _official(first: Conversation, second: Conversation | None) -> tuple[str, str, str | None]:
    turns = len(first.questions)
    kind = "single" if second is None else "pair"
    name = f"{kind}-math-v1" if first.guided else {"single": "single-v1", "pair": "pair-v2"}[kind]
    name += "-multi-turn" if turns > 1 else ""
    system, template = official_prompt(name)
    fields = {f"ref_answer_{turn}": text for turn, text in enumerate(first.references, start=1)}
    fields |= {f"question_{turn}": text for turn, text in enumerate(first.questions, start=1)}
    for letter, each in (("", first),) if second is None else (("_a", first), ("_b", second)):
        fields |= {f"answer{letter}_{turn}": text for turn, text in enumerate(each.answers, start=1)}
        fields[f"answer{letter}"] = each.answers[-1]
    return f"fastchat/{name}", template.format(question=first.questions[-1], **fields), system


def _transcript(conversation: Conversation, words: Mapping[str, str], name: str) -> str:
    turns = zip(conversation.questions, conversation.answers, strict=False)
    assistant = words["assistant"] + name
    return "\n\n".join(f"[{words['user']}]\n{question}\n\n[{assistant}]\n{answer}" for question, answer in turns)


def _references(conversation: Conversation, words: Mapping[str, str]) -> str:
    several = len(conversation.references) > 1
    return "\n\n".join(
        f"[{words['reference']}{f' {turn}' if several else ''}]\n{text}"
        for turn, text in enumerate(conversation.references, start=1)
    )


def _single(ask: Asking, conversation: Conversation, targets: Sequence[str]) -> Question[float]:
    label, text, system = ask(conversation, None)
    return Question(
        label=label,
        prompt=text,
        system=system,
        read=_READ_RATING,
        best="[[10]]",
        worst="[[1]]",
        answer=conversation.answers[-1],
        targets=targets,
    )


def _pair(ask: Asking, own: Conversation, rival: Conversation, place: Place, targets: Sequence[str]) -> Question[str]:
    label, text, system = ask(own, rival) if place == "A" else ask(rival, own)
    return Question(
        label=label,
        prompt=text,
        system=system,
        read=READ_PAIR,
        best=f"[[{place}]]",
        worst=f"[[{'B' if place == 'A' else 'A'}]]",
        answer=own.answers[-1],
        targets=targets,
    )


def _turns(conversation: Conversation) -> range:
    return range(1, len(conversation.questions) + 1)


def _unanswered(conversation: Conversation) -> Score | None:
    if len(conversation.answers) < len(conversation.questions):
        count = f"{len(conversation.answers)} of {len(conversation.questions)}"
        return unscored(f"the conversation ended before its last turn: {count} questions were answered")
    return None


def _shown(conversation: Conversation) -> str:
    return "\n\n".join(conversation.answers)
