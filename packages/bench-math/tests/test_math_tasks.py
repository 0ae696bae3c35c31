"""What each benchmark asks, how it reads answers, and what it reports."""

import math
from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import get_model
from inspect_ai.scorer import CORRECT, INCORRECT

import openbench_math
from openbench.datasets import Rows, bundled_rows, load_samples
from openbench.errors import DataError, UsageError
from openbench_math import contests, gsm, mgsm
from openbench_math.build import ATTEMPTS
from openbench_math.metadata import BENCHMARKS, MGSM_DIGESTS
from openbench_scorers.numeric import number_reader, score_numeric

SAMPLES = Path(openbench_math.__file__).parent / "samples"
FUNCTIONS = {
    key: getattr({"gsm": gsm, "mgsm": mgsm, "contests": contests}[of.module_path.rpartition(".")[2]], key)
    for key, of in BENCHMARKS.items()
}
CONTESTS = [key for key, metadata in BENCHMARKS.items() if metadata.samples == 30]


def built(key, **arguments):
    with bundled_rows(SAMPLES / key):
        return FUNCTIONS[key](**arguments)


@pytest.fixture
def run(tmp_path):
    def run_task(task, model, **options):
        log = inspect_eval(task, model=model, display="plain", log_dir=str(tmp_path), **options)[0]
        assert log.status == "success", log.error
        # Figures of single attempts stand apart from those of questions.
        return {name: metric.value for of in log.results.scores for name, metric in of.metrics.items()}

    return run_task


def constant(answer):
    return get_model("baseline/constant", answer=answer)


def test_contests_ask_sixteen_times_and_others_once():
    assert {key for key in BENCHMARKS if built(key).epochs == ATTEMPTS} == {*CONTESTS}


@pytest.mark.parametrize("key", BENCHMARKS)
def test_a_constant_answer_is_right_where_it_is_the_target_alone(key, run):
    samples = list(built(key).dataset)
    target = samples[0].target
    right = sum(sample.target == target for sample in samples)
    figures = run(built(key), constant(f"Answer: {target}"), epochs=1)
    assert figures["accuracy"] == pytest.approx(right / len(samples))


def test_several_attempts_are_reported_by_question(run):
    task = built("aime_2025")
    figures = run(task, constant("\\boxed{201}"))
    assert {name: figures[name] for name in ("accuracy", "pass@1", "pass@16", "maj@16")} == pytest.approx(
        {"accuracy": 1 / 6, "pass@1": 1 / 6, "pass@16": 1 / 6, "maj@16": 1 / 6}
    )
    # Of six questions, one is right: the attempts at a question are no further evidence.
    assert figures["stderr"] == pytest.approx(math.sqrt(1 / 6 * 5 / 6 / 5))
    assert figures["clustered_stderr"] == pytest.approx(figures["stderr"])
    assert figures["pass@1_stderr"] == pytest.approx(figures["stderr"])
    assert figures["clusters"] == 6
    fewer = run(built("aime_2025"), constant("\\boxed{201}"), epochs=4)
    assert fewer["pass@4"] == pytest.approx(1 / 6)
    assert math.isnan(fewer["pass@16"])


def test_versions_of_a_question_are_a_cluster(run):
    figures = run(built("gsm_plus"), constant("Answer: 126"))
    assert (figures["clusters"], figures["distraction insertion"], figures["digit expansion"]) == (2, 1.0, 0.0)
    figures = run(built("mgsm"), constant("Jibu: 135"))
    assert (figures["clusters"], figures["th"], figures["de"], figures["de_count"]) == (2, 1.0, 0.5, 2)


def test_competition_problems_are_reported_by_subject_and_level(run):
    figures = run(built("math"), constant("so it is $\\boxed{0.2}$"))
    assert (figures["algebra"], figures["geometry"], figures["2"], figures["3"]) == (1.0, 0.0, 1.0, 0.0)
    assert {sample.metadata["subject"] for sample in built("math", subject="geometry").dataset} == {"geometry"}
    assert {sample.metadata["level"] for sample in built("math", level=3).dataset} == {3}


@pytest.mark.parametrize(
    ("completion", "value"),
    [
        ("6 + 3 = 9\n14 * 9 = 126\nAnswer: 126", CORRECT),
        ("She glazes $126.00 worth.", CORRECT),
        ("#### 126", CORRECT),
        ("A: 126", CORRECT),
        ("The answer is \\boxed{126} bowls, for 2 days.", CORRECT),
        ("**Answer:** 126 bowls (of 200)", CORRECT),
        ("Answer: 12", INCORRECT),
        ("126 or so, perhaps 127", INCORRECT),
    ],
)
def test_word_problems_are_read_where_the_answer_is_announced(completion, value):
    assert score_numeric(completion, ["126"], read=number_reader(gsm.PLACES)).value == value


@pytest.mark.parametrize("key", ["aime_2024", "aime_2025", "aime_2026"])
def test_a_contest_answer_is_not_taken_from_unfinished_reasoning(key, run):
    assert run(built(key), constant("Let me try 80, then 201, 24"), epochs=1)["accuracy"] == 0.0
    assert run(built(key), constant("so $m + n = \\boxed{m+n=024}$"), epochs=1)["accuracy"] == pytest.approx(1 / 6)


@pytest.mark.parametrize("language", MGSM_DIGESTS)
def test_every_language_asks_for_its_own_cue_and_reads_it(language):
    wording = mgsm.WORDINGS[language]
    assert wording.cue in wording.instruction
    for colon in (":", " :", "\uff1a"):
        assert mgsm.score_integer(f"3 * 45 = 135\n{wording.cue}{colon} 135 (9)", ["135"]).value == CORRECT, colon


@pytest.mark.parametrize("written", ["11250", "11,250", "11.250", "11 250", "11\u202f250", "১১২৫০", "11 250 Säcke"])
def test_thousands_are_separated_as_the_language_has_it(written):
    assert mgsm.score_integer(f"Antwort: {written}", ["11250"]).value == CORRECT
    assert mgsm.score_integer(f"Antwort: {written}", ["11251"]).value == INCORRECT


def test_an_answer_without_its_cue_or_in_another_language_counts():
    assert mgsm.score_integer("Also bleiben 135 Eier.", ["135"]).value == CORRECT
    assert mgsm.score_integer("The answer is 135, not 9", ["135"]).value == CORRECT
    assert mgsm.score_integer("keine Ahnung", ["135"]).value == INCORRECT


def test_languages_are_chosen():
    assert [sample.metadata["language"] for sample in built("mgsm", languages="de, th").dataset] == ["de", "th", "de"]
    with pytest.raises(UsageError) as error:
        built("mgsm", languages="de,xx")
    assert str(error.value).startswith("mgsm: languages='de,xx': expected some of bn, de, en, ")


@pytest.mark.parametrize(
    ("key", "arguments", "message"),
    [
        ("gsm8k", {"split": "dev"}, "gsm8k: the split 'dev' does not exist. Splits that can be scored: train, test."),
        ("gsm_plus", {"split": "dev"}, "gsm_plus: the split 'dev' does not exist. Splits that can be scored: test, "),
        ("math", {"subject": "topology"}, "math: the subject 'topology' does not exist. Subjects: algebra, "),
        ("math", {"level": 6}, "math: the level 6 does not exist. Levels: 1 to 5."),
    ],
)
def test_what_does_not_exist_is_refused(key, arguments, message):
    with pytest.raises(UsageError) as error:
        FUNCTIONS[key](**arguments)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("mapping", "row", "message"),
    [
        (gsm.gsm8k_sample, {"question": "?", "answer": "18"}, "answer: no '####' in '18'"),
        (
            contests.math_sample,
            {"problem": "?", "solution": "It is 5.", "level": "Level 1", "subject": "algebra"},
            "solution: no \\boxed in 'It is 5.'",
        ),
    ],
)
def test_a_row_without_its_answer_is_named(mapping, row, message):
    with pytest.raises(DataError) as error:
        load_samples(Rows("rows", [row]), mapping, name="rows")
    assert str(error.value) == f"row 1 of rows: {message}"


def test_a_question_that_cannot_be_answered_is_left_out():
    samples = list(built("gsm_plus").dataset)
    assert len(samples) == 6
    assert "critical thinking" not in {sample.metadata["perturbation"] for sample in samples}


@pytest.mark.parametrize("key", BENCHMARKS)
def test_the_readme_tells_the_same(key):
    readme = (Path(__file__).parent.parent / "README.md").read_text("utf-8")
    (line,) = [line for line in readme.splitlines() if line.startswith(f"| `{key}` |")]
    _, dataset, split, samples, pin, verified, licence = [cell.strip() for cell in line.strip("|").split("|")]
    metadata = BENCHMARKS[key]
    assert key == "mgsm" or dataset.split()[0] == metadata.dataset.source
    assert (split, int(samples)) == (metadata.dataset.split or "-", metadata.samples)
    assert pin == ("commit" if metadata.dataset.type == "hf" else "sha256")
    rows = metadata.dataset.verified
    assert verified == (f"rows verified ({rows:,})" if rows else "schema unverified")
    assert licence == metadata.dataset.licence
