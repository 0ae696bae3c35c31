"""The judge of Humanity's Last Exam: grades answers to closed questions, and measures calibration.

Phan et al. 2025, Humanity's Last Exam, arXiv 2501.14249.
"""

import math
import re
from collections.abc import Sequence

from inspect_ai.scorer import (
    CORRECT,
    INCORRECT,
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    Value,
    accuracy,
    metric,
    scorer,
    stderr,
)
from inspect_ai.solver import TaskState

from openbench.metrics.means import figure
from openbench.scorers.matching import without_target
from openbench_judges.agreement import VERDICT_KEY, judging
from openbench_judges.panel import Models, Panel, Question, scored, verdict_of
from openbench_judges.prompts import JudgePrompt
from openbench_judges.verdicts import grade, percentage
from openbench_scorers.responses import response
from openbench_scorers.templates import DEFAULT_GRADER

GRADES = {"A": "CORRECT", "B": "INCORRECT"}
CONFIDENCE_KEY = "confidence"
BIN = 100
"""The number of answers in a bin of the calibration error."""

PROMPT = JudgePrompt(
    "hle",
    1,
    {
        "en": """\
You compare a final answer with the answer that is known to be right.

[Question]
{question}

[Response]
{answer}

[Right answer]
{target}

Take the final answer of the response, and see whether it is the right one. Only differences that matter count; numbers
may differ by rounding. If the response has no final answer, several, or one that leaves open which is meant, it is
incorrect. Do not solve the question, and argue for no other answer than the right one.

First say in a sentence or two how the final answer differs. Then give the grade on the last line: A if it is correct,
B if it is incorrect. The last line is the letter alone.""",
        "ko": """\
최종 답을 알려진 정답과 비교하세요.

[질문]
{question}

[응답]
{answer}

[정답]
{target}

응답의 최종 답을 찾아 정답과 같은지 판단하세요. 의미 있는 차이만 중요하며, 숫자는 반올림 차이가 있어도 됩니다. 응답에
최종 답이 없거나, 여러 개이거나, 무엇을 뜻하는지 분명하지 않으면 오답입니다. 문제를 직접 풀지 말고, 정답이 아닌 다른
답을 주장하지 마세요.

먼저 최종 답이 정답과 어떻게 다른지 한두 문장으로 쓰세요. 그런 다음 마지막 줄에 등급을 쓰세요. 맞으면 A, 틀리면
B입니다. 마지막 줄에는 글자 하나만 쓰세요.""",
    },
)

_ANSWER = re.compile(
    r"^\W*(?:final answer|exact answer|answer|최종 정답|최종 답|정답|답)\W*[:\uff1a][ \t*_]*(\S.*?)[ \t*_]*$",
    re.IGNORECASE | re.MULTILINE,
)
_CONFIDENCE = "confidence|확신도|신뢰도"


def final_answer(text: str) -> str:
    """Return the answer in the last line `Answer: …`, else the whole response."""
    answer = response(text)
    found = _ANSWER.findall(answer)
    return str(found[-1]) if found else answer


def calibration_error(confidences: Sequence[float], correct: Sequence[bool]) -> float:
    """Return the root mean square calibration error, from 0 (calibrated) to 1.

    Answers are sorted by confidence and divided into bins of 100; the last bin also holds the remainder. The error is
    sqrt(sum over bins of n_bin / n * (mean confidence - share correct)^2).

    Source: Hendrycks et al. 2019, Deep anomaly detection with outlier exposure, arXiv 1812.04606, as in HLE's code,
    which omits the last bin.

    Args:
        confidences: The confidences, from 0 to 1.
        correct: Whether each answer is correct.

    Returns:
        The error; NaN without answers.
    """
    if not confidences:
        return math.nan
    ranked = sorted(zip(confidences, correct, strict=True), key=lambda pair: pair[0])
    starts = [number * BIN for number in range(max(1, len(ranked) // BIN))]
    bins = [ranked[start:end] for start, end in zip(starts, [*starts[1:], len(ranked)], strict=True)]
    return math.sqrt(math.fsum(len(each) * _gap(each) ** 2 for each in bins) / len(ranked))


def _gap(pairs: Sequence[tuple[float, bool]]) -> float:
    return math.fsum(confidence - correct for confidence, correct in pairs) / len(pairs)


@metric
def calibration() -> Metric:
    """Report `calibration_error`, `mean_confidence` and `confidence_read`, the share of readable ones; all from 0 to 1.

    Answers without a readable confidence count for accuracy, but not for calibration.
    """

    def calculate(scores: list[SampleScore]) -> Value:
        stated = [(score.score.metadata or {}).get(CONFIDENCE_KEY) for score in scores]
        pairs = zip(stated, scores, strict=True)
        known = [(each / 100, figure(score) == 1) for each, score in pairs if each is not None]
        confidences = [confidence for confidence, _ in known]
        return {
            "calibration_error": calibration_error(confidences, [right for _, right in known]),
            "mean_confidence": math.fsum(confidences) / len(known) if known else math.nan,
            "confidence_read": len(known) / len(scores) if scores else math.nan,
        }

    return calculate


@scorer(
    metrics=[accuracy(), stderr(), calibration(), judging()],
    default_grader=DEFAULT_GRADER,
    self_judge=False,
    builtin=True,
)
def hle_grader(models: Models = None, language: str = "en", allow_self_judge: bool = False) -> Scorer:
    """Grade an answer as correct or incorrect, and read the confidence that it states.

    Args:
        models: One or several graders, whose majority decides; by default the model of the role `grader`, else GPT-4.1
            of 2025-04-14.
        language: The language of the prompt: `en` or `ko`.
        allow_self_judge: Whether the evaluated model may be a grader.

    Raises:
        UsageError: An option is invalid.
    """
    panel = Panel.of(models, allow_self_judge=allow_self_judge)
    PROMPT.check_language(language)

    async def score(state: TaskState, target: Target) -> Score:
        answer = response(state.output.completion)
        if not target.text.strip():
            return without_target(answer)
        if not answer:
            return Score(value=INCORRECT, answer="", reason="no_response")
        prompt = PROMPT.render(language, question=state.input_text, answer=answer, target=target.text)
        question = Question(
            label=PROMPT.label(language),
            prompt=prompt,
            read=grade(GRADES),
            best="A",
            worst="B",
            answer=final_answer(answer),
            targets=list(target),
        )
        ballot = await panel.ask(question, evaluated=state.model)
        verdict = verdict_of(ballot)
        held = {CONFIDENCE_KEY: percentage(answer, _CONFIDENCE), VERDICT_KEY: verdict and GRADES[verdict].lower()}
        value = None if verdict is None else CORRECT if verdict == "A" else INCORRECT
        return scored(value, [ballot], final_answer(answer), metadata=held)

    return score
