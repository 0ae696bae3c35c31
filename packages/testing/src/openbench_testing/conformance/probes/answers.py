"""Answers with known scores: right ones, wrong ones, and each offered letter in turn."""

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, modelapi
from inspect_ai.scorer import Target
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolChoice, ToolInfo

from openbench.baselines.models import output
from openbench.baselines.reference import answered, default_reference
from openbench.scorers.matching import fold
from openbench.scorers.mcq import options_of, read_options
from openbench_testing.conformance.probes.rendering import RANKING_KEY, TEXT_KEY

if TYPE_CHECKING:
    from openbench_ranking.continuation import ContinuationScore
    from openbench_ranking.request import RankingRequest

Answer = Callable[[Sample], str]

# Without any word, number or letter, it cannot be right.
_NONSENSE = "zxqvj"


def known_answers(function: Callable[..., object], samples: Sequence[Sample]) -> tuple[dict[str, str], dict[str, str]]:
    """Return a right and a wrong answer to each sample, by its id.

    The task's module may define `reference(sample)` and `wrong(sample)`. By default a right answer is the target, and a
    wrong one the reference with another letter, or the reference of a sample with another target. If options are
    ranked, an answer is the index of one, and blank if all are right. If whole texts are scored, it states whether the
    text is certain.
    """
    if any(TEXT_KEY in (sample.metadata or {}) for sample in samples):
        return {str(sample.id): "certain" for sample in samples}, {str(sample.id): "" for sample in samples}
    ranked = [sample for sample in samples if RANKING_KEY in (sample.metadata or {})]
    if ranked:
        pairs = {str(sample.id): _indexes(sample) for sample in ranked}
        return {id_: right for id_, (right, _) in pairs.items()}, {id_: other for id_, (_, other) in pairs.items()}
    module = sys.modules.get(function.__module__)
    reference: Answer = getattr(module, "reference", default_reference)
    right = {str(sample.id): reference(sample) for sample in samples}
    given: Answer | None = getattr(module, "wrong", None)
    if given:
        return right, {str(sample.id): given(sample) for sample in samples}
    return right, {str(sample.id): _wrong(sample, samples, right, reference) for sample in samples}


def passages(function: Callable[..., object], samples: Sequence[Sample]) -> dict[str, str]:
    """Return the passage of each sample, by id: `passage(sample)` of the task's module, if defined."""
    passage: Answer | None = getattr(sys.modules.get(function.__module__), "passage", None)
    return {str(sample.id): passage(sample) for sample in samples} if passage else {}


def _indexes(sample: Sample) -> tuple[str, str]:
    from openbench_ranking.request import ranking_request  # noqa: PLC0415 - installed if samples are ranked

    request = ranking_request(sample)
    if request is None:
        raise ValueError(f"the sample {sample.id!r} has no options to rank, unlike others")
    others = (str(index) for index in range(len(request.continuations)) if index not in request.gold)
    return str(request.gold[0]), next(others, "")


def _wrong(sample: Sample, samples: Sequence[Sample], right: Mapping[str, str], reference: Answer) -> str:
    own = {fold(target) for target in Target(sample.target)}
    letters = [letter for letter in options_of(sample) if fold(letter) not in own]
    candidates = [reference(sample.model_copy(update={"target": letter})) for letter in letters]
    others = [other for other in samples if own.isdisjoint(map(fold, Target(other.target)))]
    candidates += [right[str(other.id)] for other in others]
    return next((answer for answer in candidates if answer != right[str(sample.id)]), _NONSENSE)


@solver
def scripted(answers: dict[str, str]) -> Solver:
    """Answer each sample with its text in `answers`, or prefer the option with that index."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - inspect's signature
        answer = answers[str(state.sample_id)]
        if RANKING_KEY in state.metadata:
            return _ranked(state, answer)
        if TEXT_KEY in state.metadata:
            return await _read(state, certain=bool(answer))
        return answered(state, answer)

    return solve


def _ranked(state: TaskState, answer: str) -> TaskState:
    from openbench_ranking.baselines import preferring, undecided  # noqa: PLC0415 - likewise
    from openbench_ranking.request import ranking_request, record_loglikelihoods  # noqa: PLC0415 - likewise

    if request := ranking_request(state):
        texts = request.continuations
        values = preferring(int(answer), texts) if answer else undecided(texts)
        record_loglikelihoods(state, values, undecided(texts))
    return state


async def _read(state: TaskState, *, certain: bool) -> TaskState:
    from openbench_ranking.baselines import BaselineReader  # noqa: PLC0415 - likewise
    from openbench_ranking.continuation import ContinuationScore  # noqa: PLC0415 - likewise
    from openbench_ranking.perplexity import record_text_score  # noqa: PLC0415 - likewise

    score = ContinuationScore(0.0) if certain else await BaselineReader().rolling_loglikelihood(state.input_text)
    record_text_score(state, score)
    return state


@modelapi(name="letters")
class Letters(ModelAPI):
    """Answers a prompt with its first offered letter, then the second and so on, and then with an empty text."""

    def __init__(self, model_name: str, base_url: str | None = None, api_key: str | None = None, **_: object) -> None:
        super().__init__(model_name, base_url, api_key)
        self._counts: Counter[str] = Counter()

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002 - inspect's signature
        tools: list[ToolInfo],  # noqa: ARG002 - likewise
        tool_choice: ToolChoice,  # noqa: ARG002 - likewise
        config: GenerateConfig,  # noqa: ARG002 - likewise
    ) -> ModelOutput:
        """Answer the last message."""
        prompt = input[-1].text
        letters, index = [*read_options(prompt)], self._next(prompt)
        return output("letters/each", prompt, f"Answer: {letters[index]}" if index < len(letters) else "")

    async def loglikelihoods(self, request: "RankingRequest") -> "list[ContinuationScore]":
        """Prefer an option, or none."""
        from openbench_ranking.baselines import preferring, undecided  # noqa: PLC0415 - likewise

        texts, index = request.continuations, self._next(str([message.text for message in request.messages]))
        return preferring(index, texts) if index < len(texts) else undecided(texts)

    def _next(self, prompt: str) -> int:
        self._counts[prompt] += 1
        return self._counts[prompt] - 1
