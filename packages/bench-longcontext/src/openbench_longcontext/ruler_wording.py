"""Prompt templates of RULER's tasks: ours, or the original's, downloaded and pinned."""

from dataclasses import dataclass
from typing import Literal, get_args

from openbench.datasets import read_text
from openbench_longcontext.metadata import RULER_NEEDLES, RULER_PROMPTS
from openbench_longcontext.published import literal
from openbench_scorers.options import one_of

Prompt = Literal["ours", "official"]


@dataclass(frozen=True)
class Wording:
    """Prompt templates with the original's placeholders.

    Attributes:
        needle: A needle, with `type_needle_v`, `key` and `value`.
        noise: A line without information.
        niah: Needle tasks with several values, with `type_needle_v`, `context` and `query`.
        niah_one: Needle tasks with a single value, with the same placeholders.
        vt: Variable tracking, with `context`, `query` and `num_v`.
        cwe: Common words, with `context`.
        fwe: Frequent words, with `context`.
        qa: Questions, with `context` and `query`.
    """

    needle: str
    noise: str
    niah: str
    niah_one: str
    vt: str
    cwe: str
    fwe: str
    qa: str


OURS = Wording(
    needle="The secret {type_needle_v} for {key}: {value}.",
    noise="The lake is calm. The wind is cold. The boats are in. We wait here. Nobody comes today.",
    niah=(
        "The text below hides secret {type_needle_v}. Read it with care: a question follows.\n\n{context}\n\n"
        "Which are all the secret {type_needle_v} for {query} in the text? Answer with these {type_needle_v} alone."
    ),
    niah_one=(
        "The text below hides a secret {type_needle_v}. Read it with care: a question follows.\n\n{context}\n\n"
        "What is the secret {type_needle_v} for {query} in the text? Answer with this {type_needle_v} alone."
    ),
    vt=(
        "The text below assigns values to variables, directly or from one variable to the next. Follow the "
        "assignments.\n\n{context}\n\nWhich {num_v} variables have the value {query}? Answer with their names alone."
    ),
    cwe=(
        "In the numbered list below some words stand more often than others. Keep track of the most frequent.\n\n"
        "{context}\n\nWhich 10 words stand most often in the list? Answer with these words alone."
    ),
    fwe=(
        "The text below is made of coded words. Keep track of how often each stands in it; dots are no word.\n\n"
        "{context}\n\nWhich three coded words stand most often in the text? Answer with these words alone."
    ),
    qa=(
        "Here are some documents, and after them a question.\n\n{context}\n\n"
        "Answer from the documents, with the answer alone and nothing else.\n\nQuestion: {query}"
    ),
)


def wording(prompt: Prompt) -> Wording:
    """Return our templates, or the original's, which end with the beginning of the answer.

    Raises:
        UsageError: `prompt` has another value.
        DataError: The original's templates cannot be fetched, or do not match the pin.
    """
    one_of("ruler: prompt", prompt, get_args(Prompt))
    return OURS if prompt == "ours" else official(read_text(RULER_PROMPTS), read_text(RULER_NEEDLES))


def official(constants: str, needles: str) -> Wording:
    """Read the original's templates from the source code of its programs, which are parsed but not executed.

    Args:
        constants: The source of `constants.py`, which assigns `TASKS`.
        needles: The source of `niah.py`, which assigns `needle`, and `haystack` several times, once as a literal.

    Raises:
        DataError: A template is missing.
    """
    tasks = literal(constants, "TASKS", dict)
    full = {name: task["template"] + task["answer_prefix"] for name, task in tasks.items()}
    niah = full["niah"]
    # For a single value, the original makes these replacements in its template.
    one = niah.replace("Some", "A").replace("are all", "is").replace("are", "is").replace("answers", "answer")
    return Wording(
        needle=literal(needles, "needle", str),
        noise=literal(needles, "haystack", str),
        niah=niah,
        niah_one=one,
        vt=full["variable_tracking"],
        cwe=full["common_words_extraction"],
        fwe=full["freq_words_extraction"],
        qa=full["qa"],
    )
