"""Prompts in Korean, and the language in which answers are read."""

from collections.abc import Sequence

from openbench.tasks.prompts import option_letters, option_lines

ANY = "any"
"""The language in which answers are read: Korean, English and some sixty others at once; of openbench-scorers."""

_INSTRUCTION = (
    "다음 객관식 문제에 답하세요. 마지막 줄에 “정답: 글자” 형식으로 답을 쓰세요. 글자는 {letters} 중 하나입니다."
)


def lettered_prompt(question: str, options: Sequence[str | float]) -> str:
    """Ask a question in Korean, with its options under Latin letters.

    Raises:
        ValueError: There are more options than letters.
    """
    instruction = _INSTRUCTION.format(letters=", ".join(option_letters(len(options))))
    return "\n".join([instruction, "", question, "", *option_lines(options)])
