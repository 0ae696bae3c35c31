"""The check `letters`, on generated benchmarks with rows in a data store, and on handwritten counts."""

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbench.datasets import Rows
from openbench.datasets.formats import pack
from openbench.datasets.pin import pin_of
from openbench.datasets.store import Content, Store
from openbench.metadata import BenchmarkMetadata, DatasetSource
from openbench_testing.conformance import Evidence, Letters
from openbench_testing.conformance.binomial import at_least, at_most
from openbench_testing.conformance.outcome import InapplicableError, Remark
from openbench_testing.conformance.probes.letters import _published
from openbench_testing.conformance.rules import letters as rule

REVISION = "0123456789abcdef0123456789abcdef01234567"
PACKAGE = f"""
from openbench.metadata import BenchmarkMetadata, DatasetSource

def benchmark(name):
    source = DatasetSource(source=f"acme/{{name}}", split="test", revision="{REVISION}")
    return BenchmarkMetadata(name, "Questions.", "knowledge", ["trivia"], "acme_letters.task", name, dataset=source)
"""
TASK = """
import random
from inspect_ai import task
from openbench.tasks.mcq import MCQEval, MCQRecord, shuffled_options

LOTS = random.Random(0)

def record(row, options, correct):
    return MCQRecord(question=row["question"], options=options, correct=correct, id=row["id"])

def placed(row, index):
    return record(row, [*row["wrong"][:index], row["right"], *row["wrong"][index:]], index)

def drawn(row):
    options = [row["right"], *row["wrong"]]
    LOTS.shuffle(options)
    return record(row, options, options.index(row["right"]))

MAPPINGS = {
    "always_b": lambda row: placed(row, 1),
    "always_first": lambda row: placed(row, 0),
    "leaning": lambda row: placed(row, min(row["number"] % 5, 3)),
    "shuffled": lambda row: record(row, *shuffled_options([row["right"], *row["wrong"]], 0, key=row["question"])),
    "drawn": drawn,
    "hashed": lambda row: placed(row, hash(row["question"]) % 4),
    "keyed": lambda row: record(row, row["wrong"], row["key"]),
    "lopsided": lambda row: record(row, row["wrong"], row["key"]),
    "labels": lambda row: record(row, ["yes", "no"], 0 if row["right"] else 1),
    "broken": lambda row: placed(row, row["place"]),
    "absent": lambda row: placed(row, 0),
}

def make(name):
    def build():
        return MCQEval(name=name, dataset_path=f"acme/{name}", split="test", dataset_kwargs={"revision": "REVISION"},
                       record_to_mcq_sample=MAPPINGS[name])
    build.__name__ = build.__qualname__ = name
    return task(build)

globals().update({name: make(name) for name in MAPPINGS})
""".replace("REVISION", REVISION)


def row(number, **columns):
    wrong = [f"wrong {number} {other}" for other in range(3)]
    return {
        "id": f"q{number}",
        "number": number,
        "question": f"{number}?",
        "right": f"right {number}",
        **({"wrong": wrong} | columns),
    }


def rows_of(count, **columns):
    return [row(number, **{name: value(number) for name, value in columns.items()}) for number in range(count)]


def between_two_and_thirteen(number):
    return [f"wrong {number} {other}" for other in range(1 + number % 12)]


ROWS = {
    "always_b": rows_of(198),
    "always_first": rows_of(817, wrong=between_two_and_thirteen),
    "leaning": rows_of(500),
    "shuffled": rows_of(817, wrong=between_two_and_thirteen),
    "drawn": rows_of(400),
    "hashed": rows_of(400),
    "keyed": rows_of(5000, key=lambda number: (0, 0, 1, 1, 2, 2, 2)[number % 7]),
    "lopsided": rows_of(1000, key=lambda number: (0, 0, 0, 1, 2)[number % 5]),
    "labels": rows_of(1000, right=lambda number: number % 100 < 62),
    "broken": [*rows_of(20, place=lambda number: number % 4), row(20)],
}
NAMES = [*ROWS, "absent"]


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("letters")
    site, store = folder / "site-packages", Store(folder / "data")
    write(site / "acme_letters/__init__.py", "")
    write(site / "acme_letters/metadata.py", PACKAGE + "\n".join(f"{name} = benchmark({name!r})" for name in NAMES))
    write(site / "acme_letters/task.py", TASK)
    points = "\n".join(f"{name} = acme_letters.metadata:{name}" for name in NAMES)
    info = site / "acme_letters-1.0.dist-info"
    write(info / "METADATA", "Metadata-Version: 2.4\nName: acme-letters\nVersion: 1.0\n")
    write(
        info / "entry_points.txt", f"[openbench.benchmarks]\n{points}\n[inspect_ai]\nacme_letters = acme_letters.task\n"
    )
    for name in NAMES:
        samples = [{**each, "place": 0} for each in ROWS.get(name, ROWS["always_b"])[:8]]
        write(site / f"acme_letters/samples/{name}/test.jsonl", "\n".join(map(json.dumps, samples)))
    for name, rows in ROWS.items():
        pin = pin_of(DatasetSource(source=f"acme/{name}", split="test", revision=REVISION), {})
        store.get(pin, lambda rows=rows: Content(rows, lambda: pack(rows)))
    done = subprocess.run(
        [sys.executable, "-c", "from openbench.cli.main import main; main()", "check", "--json", *NAMES],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(site), "OPENBENCH_DATA_DIR": str(folder / "data")},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    return {
        of["benchmark"].partition("@")[0]: {each["name"]: (each["status"], each["message"]) for each in of["checks"]}
        for of in json.loads(done.stdout)
    }


REMEDY = "Shuffle the options by a digest of the question (openbench.tasks.mcq.shuffled_options)."
LETTERS = {
    "always_b": ("failed", f"the right letter is B for all 198 rows. {REMEDY}"),
    "always_first": ("failed", f"the right letter is A for all 817 rows. {REMEDY}"),
    "leaning": ("failed", f"D is right for 40.0% of 500 rows; chance is 25.0%. {REMEDY}"),
    "keyed": ("passed", "5000 rows, A 28.6%, B 28.6%, C 42.8%; chance 33.3% (published key)"),
    "lopsided": ("failed", f"A is right for 60.0% of 1000 rows; chance is 33.3%. {REMEDY}"),
    "labels": ("passed", "1000 rows, A 62.0%, B 38.0%; chance 50.0% (labels)"),
    "absent": ("inapplicable", "its rows are not stored; run bench data pull absent"),
}


@pytest.mark.stress
@pytest.mark.parametrize("name", LETTERS)
def test_the_outcome_of_a_benchmark(outcomes, name):
    assert outcomes[name]["letters"] == LETTERS[name]


@pytest.mark.stress
def test_options_that_are_shuffled_by_their_question_are_sound(outcomes):
    status, message = outcomes["shuffled"]["letters"]
    assert (status, message.partition(", ")[0]) == ("passed", "817 rows")
    assert {check: of for check, of in outcomes["shuffled"].items() if check == "ids"} == {"ids": ("passed", "")}


@pytest.mark.stress
def test_an_order_that_another_process_does_not_have(outcomes):
    status, message = outcomes["hashed"]["letters"]
    assert status == "failed"
    assert message.startswith("its rows give other samples in another process (hash seeds 1 and 2). ")


SEED = "Seed every shuffle with the sample's own text (openbench.tasks.mcq.shuffled_options)."


@pytest.mark.stress
def test_an_order_that_depends_on_the_rows_before(outcomes):
    assert outcomes["drawn"]["ids"] == (
        "failed",
        f"options have another order, or another target, when the rows are in reverse. {SEED}",
    )


@pytest.mark.stress
def test_rows_that_do_not_fit_fail(outcomes):
    status, message = outcomes["broken"]["letters"]
    assert status == "failed"
    assert message.startswith("the task cannot be built from its rows: DataError: broken: row 21 of acme/broken test ")


METADATA = BenchmarkMetadata("Quiz", "Questions.", "knowledge", ["trivia"], "acme_quiz.task", "quiz")


def judged(**columns):
    both = [Letters(present=True, **columns)] * 2
    return rule.letters(Evidence(benchmark="quiz", key="quiz", metadata=METADATA, letters=both))


def test_without_lettered_options_there_is_nothing_to_say():
    with pytest.raises(InapplicableError, match="its prompts offer no lettered options"):
        judged()


def test_processes_must_agree():
    one = Letters(present=True, digest="1", texts={"AB A": 1})
    other = Evidence(benchmark="quiz", key="quiz", metadata=METADATA, letters=[one, replace(one, digest="2")])
    assert "in another process" in rule.letters(other)


def test_labels_that_never_change_fail():
    assert judged(labels={"AB A": 100}).startswith("the right letter is A for all 100 rows.")


def test_a_letter_that_is_never_right_fails():
    complaint = judged(texts={"ABCD A": 100, "ABCD B": 100, "ABCD C": 100})
    assert "D is right for 0.0% of 300 rows; chance is 25.0%." in complaint


def test_several_letters_may_be_right():
    remark = judged(texts={"ABCD AB": 50, "ABCD CD": 50})
    assert isinstance(remark, Remark)
    assert remark == "100 rows, A 50.0%, B 50.0%, C 50.0%, D 50.0%; chance 50.0%"


def test_few_rows_prove_nothing():
    assert isinstance(judged(texts={"ABCD B": 4}), Remark)


@given(st.lists(st.integers(2, 12), min_size=20, max_size=400))
def test_a_spread_key_is_sound_and_one_on_the_first_option_is_not(counts):
    seen = Counter()
    spread, first = Counter(), Counter()
    for count in counts:
        offered = "ABCDEFGHIJKL"[:count]
        spread[f"{offered} {offered[seen[count] % count]}"] += 1
        first[f"{offered} A"] += 1
        seen[count] += 1
    assert isinstance(judged(texts=spread), Remark)
    assert judged(texts=first).startswith(f"the right letter is A for all {len(counts)} rows.")


def exact_tails(texts, letter):
    """Return the tails of the Poisson-binomial distribution, by convolution."""
    offering = [(key.partition(" "), count) for key, count in texts.items() if letter in key.partition(" ")[0]]
    masses, right = [1.0], 0
    for (offered, _, target), count in offering:
        right += count if letter in target else 0
        chance = 1 / len(offered)
        for _ in range(count):
            shifted = [0.0, *(mass * chance for mass in masses)]
            masses = [mass * (1 - chance) + more for mass, more in zip([*masses, 0.0], shifted, strict=True)]
    return sum(masses[right:]), sum(masses[: right + 1])


@given(st.lists(st.integers(2, 12), min_size=5, max_size=80), st.data())
def test_the_mean_chance_errs_on_the_side_of_chance(counts, data):
    texts = Counter(f"{'ABCDEFGHIJKL'[:count]} {'A' if data.draw(st.booleans()) else 'B'}" for count in counts)
    right = sum(count for key, count in texts.items() if key.endswith("A"))
    trials, mean = len(counts), sum(1 / count for count in counts) / len(counts)
    above, below = exact_tails(texts, "A")
    if right >= trials * mean + 1:
        assert at_least(right, trials, mean) >= above - 1e-9
    if right <= trials * mean - 1:
        assert at_most(right, trials, mean) >= below - 1e-9


@pytest.mark.parametrize(("letter", "published"), [("({})", True), ("{}", True), ("no {}", False)])
def test_letters_among_other_targets_are_a_published_key(letter, published):
    rows = [{"target": letter.format("ABB"[number % 3])} for number in range(300)]
    rows += [{"target": f"word {number}"} for number in range(200)]
    assert _published(Counter(A=100, B=200), [Rows("rows", rows)]) is published
    assert not _published(Counter(A=150, B=150), [Rows("rows", rows)])
