"""Requests as benchmarks ask them: a context and its continuations."""

from typing import Any

from loglikelihood.models import real_rows

Asked = tuple[str, list[str], int]
"""A context, its continuations, and the index of the correct one."""

LETTERS = "ABCDEFGHIJ"


def letters(count: int) -> list[Asked]:
    """MMLU without examples: the options are in the prompt, and their letters are ranked."""
    return [(_asked(row), _letters(row), row["answer"]) for row in _spread(count)]


def full_text(count: int) -> list[Asked]:
    """The question alone, and the options' texts are ranked."""
    return [
        (f"Question: {r['question']}\nAnswer:", [f" {c}" for c in r["choices"]], r["answer"]) for r in _spread(count)
    ]


def five_shot(count: int) -> list[Asked]:
    """MMLU with five examples, questions of one subject, and the options' letters are ranked."""
    rows = real_rows("test")
    subject = "high_school_psychology" if any(r["subject"] == "high_school_psychology" for r in rows) else "made_up"
    shots = [row for row in real_rows("dev") if row["subject"] == subject][:5]
    lead = f"The following are multiple choice questions (with answers) about {subject.replace('_', ' ')}.\n\n"
    lead += "".join(f"{_asked(shot)} {LETTERS[shot['answer']]}\n\n" for shot in shots)
    asked = [row for row in rows if row["subject"] == subject][:count]
    return [(lead + _asked(row), _letters(row), row["answer"]) for row in asked]


def five_shot_text(count: int) -> list[Asked]:
    """The same with the options' texts."""
    return [(context, [f" {text}" for text in _options(context)], gold) for context, _, gold in five_shot(count)]


def awkward() -> list[Asked]:
    """What breaks boundaries: shared prefixes, spaces, unicode, duplicates, an empty context, too long a context."""
    long = "one two three four five six seven eight nine ten " * 300
    return [
        ("The answer is", [" yes", " yes it is", " yes it is so", " no"], 0),
        ("Trailing space ", ["yes", " yes", "\nyes"], 1),
        ("Trailing lines \n\n", ["Paris", "London"], 0),
        ("", ["Paris is a city", " Paris", "<s>Paris", "東京"], 0),
        ("<s>It already begins", [" so", " with it"], 0),
        ("A special </s> token inside", [" one", " two </s>"], 0),
        ("Grüße aus Köln, 東京 und 🙂🙃", [" 東京", " é", " 🙂🙃👩‍👩‍👧", "é"], 0),
        ("Duplicates:", [" a", " a", " b"], 0),
        ("unspaced con", ["crete floor", "tinuation of it"], 0),
        (long, [" eleven", " twelve thirteen", " one two three four"], 0),
        (long[200:], [" eleven"], 0),
        ("One option only", [" here"], 0),
    ]


def texts() -> list[str]:
    """Whole texts, for perplexity: within a window, over several, and with unicode."""
    rows = real_rows("test")[:60]
    return [row["question"] for row in rows[:20]] + [" ".join(row["question"] for row in rows), "東京 🙂 Köln" * 50]


WORKLOADS = {"full_text": full_text, "letters": letters, "five_shot": five_shot, "five_shot_text": five_shot_text}


def _spread(count: int) -> list[dict[str, Any]]:
    """Rows from all over the split, so that all subjects take part."""
    rows = real_rows("test")
    return rows[:: max(1, len(rows) // count)][:count]


def _asked(row: dict[str, Any]) -> str:
    options = "".join(f"\n{letter}. {text}" for letter, text in zip(LETTERS, row["choices"], strict=False))
    return f"{row['question'].strip()}{options}\nAnswer:"


def _letters(row: dict[str, Any]) -> list[str]:
    return [f" {letter}" for letter in LETTERS[: len(row["choices"])]]


def _options(context: str) -> list[str]:
    lines = context.rsplit("\n\n", 1)[-1].splitlines()
    return [line[3:].strip() or line for line in lines if line[:3] in {f"{letter}. " for letter in LETTERS}]
