"""MMLU by log-probability: the letters, or the texts, of options after the prompt."""

import pytest

from openbench.errors import UsageError
from openbench_mmlu.fewshot import Examples
from openbench_mmlu.mmlu import mmlu
from openbench_mmlu.ranked import ranked_example, ranked_sample
from openbench_ranking.request import ranking_request

ROW = {"question": " Sky?\n", "subject": "high_school_physics", "choices": ["red", " blue", "no", "all"], "answer": 1}
LETTERS = (
    "The following are multiple choice questions (with answers) about high school physics.\n\n"
    "Sky?\nA. red\nB.  blue\nC. no\nD. all\nAnswer:"
)
TEXTS = "The following are questions (with answers) about high school physics.\n\nQuestion: Sky?\nAnswer:"


@pytest.mark.parametrize(
    ("style", "context", "continuations", "example"),
    [
        ("letters_ranked", LETTERS, [" A", " B", " C", " D"], "Sky?\nA. red\nB.  blue\nC. no\nD. all\nAnswer: B"),
        ("cloze", TEXTS, [" red", "  blue", " no", " all"], "Question: Sky?\nAnswer:  blue"),
    ],
)
def test_what_is_ranked_after_what(style, context, continuations, example):
    request = ranking_request(ranked_sample(ROW, style=style))
    assert (request.context, request.continuations, request.gold) == (context, continuations, [1])
    shot = ranked_example(ROW, style=style).input
    assert shot == example
    shown = Examples("dev", 1, {"high_school_physics": [shot]})
    head, question = context.split("\n\n")
    request = ranking_request(ranked_sample(ROW, style=style, examples=shown))
    assert request.context == f"{head}\n\n{shot}\n\n{question}"


@pytest.mark.parametrize("style", ["letters_ranked", "cloze", "cloze_unconditional"])
def test_styles_change_no_id(sample_task, style):
    ids = [sample.id for sample in sample_task(mmlu).dataset]
    assert [sample.id for sample in sample_task(mmlu, style=style, fewshot=5).dataset] == ids


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"style": "bits_per_byte"},
            "mmlu: style='bits_per_byte': expected one of letters, letters_ranked, cloze, cloze_unconditional.",
        ),
        (
            {"style": "cloze", "prompt": "official"},
            "mmlu: prompt='official' requires style='letters', not 'cloze'.",
        ),
    ],
)
def test_what_it_does_not_have(sample_task, arguments, message):
    with pytest.raises(UsageError) as raised:
        sample_task(mmlu, **arguments)
    assert str(raised.value) == message
