import random

from openbench_analysis.audit.duplicates import duplicates, near_duplicates
from openbench_analysis.audit.items import Item

WORDS = [f"word{number}" for number in range(3_000)]
PROMPT = "Read the question below with care, think step by step, and then give the final answer in one line."


def text(seed, length=30):
    words = random.Random(seed).choices(WORDS, k=length)  # noqa: S311 - no secret
    return f"{PROMPT} {' '.join(words)}?"


def item(id_, question, answer="A", options=("red", "green", "blue")):
    return Item(id_, question, dict(zip("ABC", options, strict=False)), [answer])


def clean(count=300):
    return [
        item(number, text(number), "ABC"[number % 3], (f"r{number}", f"g{number}", f"b{number}"))
        for number in range(count)
    ]


def test_a_clean_set_has_no_finding():
    check = duplicates(clean())
    assert check.findings == []
    assert check.looked_at == "300 rows, 300 of them distinct"


def test_rows_that_repeat_others():
    rows = [*clean(), item("x", text("x"), "A"), item("y", f"  {text('x').upper()}", "B", ("green", "RED", "blue"))]
    [found] = duplicates(rows).findings
    assert (found.kind, found.severity, found.rows) == ("duplicates", "note", ["x", "y"])
    assert found.figures == {"groups": 1, "extra": 1, "share": 1 / 302}
    assert (
        duplicates(
            [*clean(40), *(item(f"copy {n}", text(n), "ABC"[n % 3], (f"r{n}", f"g{n}", f"b{n}")) for n in range(20))]
        )
        .findings[0]
        .severity
        == "severe"
    )


def test_equal_questions_whose_answers_disagree():
    rows = [
        *clean(),
        item("x", text("x"), "A"),
        item("y", text("x"), "B"),
        item("z", text("x"), "A", ("other", "options")),
    ]
    found, near = duplicates(rows).findings
    assert (found.kind, found.severity, found.rows) == ("contradictions", "severe", ["x", "y"])
    assert (near.kind, near.rows) == ("near-duplicates", ["x", "z"])
    free = [
        Item(1, "What is it?", {}, ["7"]),
        Item(2, "What is  it?", {}, ["8"]),
        Item(3, "What is it?", {}, ["7", "9"]),
    ]
    [found] = duplicates(free).findings
    assert (found.kind, found.rows) == ("contradictions", [1, 2, 3])


def test_rows_that_nearly_repeat_others():
    words = text("x", 40).split()
    words[-5] = "another"
    rows = [*clean(), item("x", text("x", 40)), item("y", " ".join(words))]
    [found] = duplicates(rows).findings
    assert (found.kind, found.severity, found.rows) == ("near-duplicates", "note", ["x", "y"])
    assert duplicates(rows, similarity=0.99).findings == []


def test_the_wording_of_a_prompt_is_nothing_in_common():
    short = [
        Item(number, f"{PROMPT} What is {number} plus {number * 7}?", {}, [str(number * 8)]) for number in range(200)
    ]
    assert duplicates(short).findings == []


def test_texts_of_a_word_or_none():
    assert near_duplicates([Item(1, "", {}, ["a"]), Item(2, "one", {}, ["b"])], 0.8) == []
