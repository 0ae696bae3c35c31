"""Options ranked by log-probability: contexts and continuations, for a row of each benchmark."""

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import openbench_mcq
from openbench.datasets import bundled_rows
from openbench.errors import DataError, UsageError
from openbench_mcq import arc, boolq, commonsense_qa, copa, hellaswag, openbookqa, piqa, sciq, truthfulqa, winogrande
from openbench_mcq.truthfulqa_mc2 import truthfulqa_mc2
from openbench_ranking.baselines import preferring
from openbench_ranking.request import RankingRequest, ranking_request
from openbench_ranking.scorer import score_ranking

SAMPLES = Path(openbench_mcq.__file__).parent / "samples"
CLOZE = {
    "arc_challenge": arc.arc_challenge,
    "arc_easy": arc.arc_easy,
    "boolq": boolq.boolq,
    "copa": copa.copa,
    "hellaswag": hellaswag.hellaswag,
    "openbookqa": openbookqa.openbookqa,
    "piqa": piqa.piqa,
    "sciq": sciq.sciq,
    "truthfulqa_mc1": truthfulqa.truthfulqa_mc1,
    "winogrande": winogrande.winogrande,
}
CHOICES = {"text": ["red ", " blue"], "label": ["1", "2"]}
TRUTHFUL = {
    "question": "Why?",
    "mc1_targets": {"choices": ["So.", "No."], "labels": [1, 0]},
    "mc2_targets": {"choices": ["No.", "So.", "Thus."], "labels": [0, 1, 1]},
}


def asked(sample: Any) -> RankingRequest:
    request = ranking_request(sample)
    assert request is not None
    return request


@pytest.mark.parametrize(
    ("sample", "context", "continuations", "gold"),
    [
        (
            arc.record_to_cloze_sample({"id": "x", "question": " Sky? ", "choices": CHOICES, "answerKey": "2"}),
            "Question:  Sky? \nAnswer:",
            [" red ", "  blue"],
            [1],
        ),
        (
            openbookqa.record_to_cloze_sample(
                {"id": "x", "question_stem": "The sky is", "choices": CHOICES, "answerKey": "2"}
            ),
            "The sky is",
            [" red ", "  blue"],
            [1],
        ),
        (
            piqa.record_to_cloze_sample({"goal": "Sit", "sol1": "chair", "sol2": "lake", "label": 0}),
            "Question: Sit\nAnswer:",
            [" chair", " lake"],
            [0],
        ),
        (
            hellaswag.record_to_cloze_sample(
                {
                    "activity_label": "Tea",
                    "ctx_a": "[header] Brew [title] Boil.",
                    "ctx_b": "then Ann",
                    "endings": ["[step] Pours.", "leaves."],
                    "label": "1",
                    "source_id": "s",
                }
            ),
            "Tea: Brew. Boil. Then ann",
            ["  Pours.", " leaves."],
            [1],
        ),
        (
            boolq.record_to_cloze_sample({"passage": "Sky -- Blue.", "question": "is it blue", "label": 1}),
            "Sky -- Blue.\nQuestion: is it blue?\nAnswer:",
            [" no", " yes"],
            [1],
        ),
        (
            boolq.record_to_cloze_sample({"passage": "Blue.", "question": "is it red", "answer": False}),
            "Blue.\nQuestion: is it red?\nAnswer:",
            [" no", " yes"],
            [0],
        ),
        (
            sciq.record_to_cloze_sample(
                {
                    "support": "\nHeat.",
                    "question": "Hot?",
                    "correct_answer": "fire",
                    "distractor1": "ice",
                    "distractor2": "snow",
                    "distractor3": "rain",
                }
            ),
            "Heat.\nQuestion: Hot?\nAnswer:",
            [" ice", " snow", " rain", " fire"],
            [3],
        ),
        (
            copa.copa_cloze_sample(
                {
                    "premise": "It froze. ",
                    "question": "effect",
                    "choice1": "Ice came.",
                    "choice2": "A fly.",
                    "label": 0,
                }
            ),
            "It froze therefore",
            ["  ice came.", "  a fly."],
            [0],
        ),
        (
            commonsense_qa.record_to_letters_ranked_sample(
                {"id": "x", "question": " Sky?", "question_concept": "sky", "choices": CHOICES, "answerKey": "1"}
            ),
            "Question: Sky?\nA. red \nB.  blue\nAnswer:",
            [" A", " B"],
            [0],
        ),
        (truthfulqa.record_to_cloze_sample(TRUTHFUL), "Q: Why?\nA:", [" So.", " No."], [0]),
        (
            truthfulqa.record_to_cloze_sample(TRUTHFUL, targets="mc2_targets"),
            "Q: Why?\nA:",
            [" No.", " So.", " Thus."],
            [1, 2],
        ),
    ],
)
def test_contexts_and_continuations(sample: Any, context: str, continuations: list[str], gold: list[int]) -> None:
    request = asked(sample)
    assert (request.context, list(request.continuations), list(request.gold)) == (context, continuations, gold)


def test_winogrande_scores_the_rest_of_the_sentence_after_each_option() -> None:
    row = {"sentence": "Ann met Eve; _ left _.", "option1": "Ann", "option2": "Eve", "answer": "2"}
    request = asked(winogrande.record_to_cloze_sample(row))
    assert [(one.context, list(one.continuations)) for one in request.separate()] == [
        ("Ann met Eve; Ann", [" left _."]),
        ("Ann met Eve; Eve", [" left _."]),
    ]
    assert list(request.gold) == [1]


@pytest.mark.parametrize("key", CLOZE)
def test_the_style_keeps_ids_and_its_reference_is_correct(key: str) -> None:
    with bundled_rows(SAMPLES / key):
        letters, cloze = CLOZE[key]().dataset, CLOZE[key](style="cloze").dataset
    assert [sample.id for sample in cloze] == [sample.id for sample in letters]
    for request in map(asked, cloze):
        values = preferring(request.gold[0], request.continuations)
        score = score_ranking(values, request.continuations, request.gold)
        assert isinstance(score.value, dict)
        assert score.value["acc"] == score.value["acc_norm"] == 1


@pytest.mark.parametrize("key", CLOZE)
def test_the_unconditional_style_has_the_same_samples(key: str) -> None:
    with bundled_rows(SAMPLES / key):
        cloze, alone = CLOZE[key](style="cloze"), CLOZE[key](style="cloze_unconditional")
    for one, other in zip(cloze.dataset, alone.dataset, strict=True):
        assert (one.input, one.target, one.metadata) == (other.input, other.target, other.metadata)


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (piqa.piqa, {"style": "bits_per_byte"}, "piqa: style='bits_per_byte': expected one of letters, cloze, "),
        (commonsense_qa.commonsense_qa, {"style": "cloze"}, "commonsense_qa: style='cloze': expected one of letters, "),
        (
            truthfulqa.truthfulqa_mc1,
            {"prompt": "official"},
            "truthfulqa_mc1: prompt='official' requires style='cloze'",
        ),
        (truthfulqa_mc2, {"prompt": "theirs"}, "truthfulqa_mc2: prompt='theirs': expected one of ours, official."),
    ],
)
def test_unknown_styles_and_prompts_are_rejected(function: Any, arguments: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError) as raised:
        function(**arguments)
    assert str(raised.value).startswith(message)


def published(monkeypatch: pytest.MonkeyPatch, directory: Path, text: str) -> None:
    """Replace the published examples with a text."""
    path = directory / "published.yaml"
    path.write_text(text, "utf-8")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    source = replace(truthfulqa.OFFICIAL, source=str(path), revision=None, sha256=digest)
    monkeypatch.setattr(truthfulqa, "OFFICIAL", source)


def test_the_official_examples_precede_each_question(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENBENCH_DATA_DIR", str(tmp_path / "store"))
    line = r"{% set prompt_qa = 'Q: Warm?\nA: Yes.\n\nQ: Cold?\nA: No.'%}{{prompt_qa + '\n\nQ: ' + question + '\nA:'}}"
    published(monkeypatch, tmp_path, f'doc_to_text: "{line}"\n')
    with bundled_rows(SAMPLES / "truthfulqa_mc2"):
        request = asked(truthfulqa_mc2(prompt="official").dataset[0])
    assert request.context.startswith("Q: Warm?\nA: Yes.\n\nQ: Cold?\nA: No.\n\nQ: Does a pan of hot water")
    assert request.context.endswith("?\nA:")


def test_a_file_without_examples_is_rejected(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENBENCH_DATA_DIR", str(tmp_path / "store"))
    published(monkeypatch, tmp_path, "doc_to_text: 'Q: {{question}}'\n")
    with pytest.raises(DataError, match=r"no examples found$"):
        truthfulqa.read_examples("truthfulqa_mc1", "official")


def test_the_published_examples_are_pinned() -> None:
    assert truthfulqa.OFFICIAL.pinned
    assert truthfulqa.OFFICIAL.sha256
