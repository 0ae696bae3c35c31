"""Horangi's own solver and scorers, and messages for those that are not available here."""

from collections.abc import Mapping, Sequence

from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import Solver, TaskState, multiple_choice, solver

from openbench.scorers.exact import score_exact
from openbench.tasks.solvers import static
from openbench_scorers.fallback import extractions
from openbench_scorers.languages import ANY
from openbench_scorers.numerals import NumberRule, read_number
from openbench_scorers.numeric import number_reader, score_numeric

KOREAN_TEMPLATE = """다음 문제를 읽고 보기 중에서 알맞은 답을 고르세요. 먼저 풀이를 적고, 마지막 줄에는 "정답: X"만 적으세요. X는 {letters} 가운데 하나입니다.

{question}

{choices}"""  # noqa: E501 - one paragraph

_PLACES = ("boxed", "announced", "last_number")

PROVIDED: Mapping[str, str] = {
    "bfcl_scorer": "openbench-tools",
    "bfcl_solver": "openbench-tools",
    "bfcl_text_solver": "openbench-tools",
    "hallulens_qa_scorer": "openbench-judges",
    "hle_grader": "openbench-judges",
    "kobbq_scorer": "openbench-korean",
    "mtbench_scorer": "openbench-judges",
    "mtbench_solver": "openbench-judges",
    "swebench_patch_solver": "openbench-swebench",
    "swebench_server_scorer": "openbench-swebench",
}
"""Names of other packages, by the distribution of each."""

TARGETLESS = frozenset(
    {
        "bfcl_scorer",
        "hallulens_refusal_scorer",
        "mtbench_pair_scorer",
        "mtbench_scorer",
        "refusal",
        "refusal_scorer",
        "swebench_server_scorer",
    }
)
"""Scorers that need no target."""


@static
@solver
def korean_multiple_choice(
    template: str | None = None, cot: bool = False, multiple_correct: bool = False, max_tokens: int | None = None
) -> Solver:
    """Ask as inspect's `multiple_choice` does, by default in Korean; the scorer `choice` reads `정답: B` as well.

    Args:
        template: The prompt, instead of `KOREAN_TEMPLATE`, whose wording is ours and not Horangi's.
        cot: As in `multiple_choice`.
        multiple_correct: Likewise.
        max_tokens: Likewise.
    """
    asked = template or KOREAN_TEMPLATE
    return multiple_choice(template=asked, cot=cot, multiple_correct=multiple_correct, max_tokens=max_tokens)


def score_math(completion: str, targets: Sequence[str], tolerance: float = 1e-6) -> Score:
    r"""Compare the answer in the last `\boxed{}`, else the announced one, else the last number.

    Args:
        completion: The model's completion.
        targets: The right answers, any one of which suffices.
        tolerance: The maximum difference of a number from the right one.

    Returns:
        Correct or incorrect; numbers are compared by value, and other answers, such as letters, as texts.
    """
    if any(read_number(target, ".") for target in targets):
        rule = NumberRule(absolute=tolerance)
        return score_numeric(completion, targets, read=number_reader(_PLACES, language=ANY), rule=rule, language=ANY)
    places = extractions(["boxed", "announced"], ANY)
    answer = next((found for place in places if (found := place(completion))), "")
    return score_exact(answer.strip(), targets)


@scorer(metrics=[accuracy(), stderr()])
def math_grader(tolerance: float = 1e-6) -> Scorer:
    """Score with `score_math`."""

    async def score(state: TaskState, target: Target) -> Score:
        return score_math(state.output.completion, list(target), tolerance)

    return score
