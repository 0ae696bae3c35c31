"""BIG-Bench Hard: 27 tasks of BIG-Bench that early language models failed, with answers in different forms.

Suzgun et al. (2022), https://arxiv.org/abs/2210.09261
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from operator import eq
from typing import Any, Literal, get_args

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState, generate

from openbench.datasets import load_samples, read_parts, read_rows, read_text
from openbench.errors import UsageError
from openbench.scorers.cleaning import cut_run_on, plain, strip_reasoning
from openbench.scorers.matching import fold, same_text, score_answer
from openbench.scorers.mcq import read_options, score_mcq
from openbench_mcq.metadata.reasoning import BBH, BBH_DIGESTS, bbh_prompt, bbh_rows
from openbench_scorers.boxes import last_boxed
from openbench_scorers.fallback import announced, last_line
from openbench_scorers.means import by_group, macro_average
from openbench_scorers.numeric import number_reader, score_numeric
from openbench_scorers.responses import MARKUP
from openbench_scorers.selection import Selection, selected_names

Prompt = Literal["ours", "official"]
Reader = Callable[[str], str | None]

PROMPT = """\
{question}

Think step by step. Put the final answer on the last line, {form}."""


@dataclass(frozen=True)
class Form:
    """A form of answers.

    Attributes:
        instruction: The part of the prompt that asks for this form.
        labels: The possible answers, if there are few.
        read: Converts an extracted text to the answer to compare; None if the text contains no answer.
        places: The extractions to try, from the most to the least explicit.
    """

    instruction: str
    labels: Sequence[str] = ()
    read: Reader = str
    places: Sequence[Reader] = (announced, last_boxed, last_line)


_NEGATED = re.compile(r"\bnot\s+$")
_CONCLUSION = re.compile(r"(?:\bis|=)\s+$")
_ALTERNATIVES = re.compile(r"^\s*(?:or\b|/)")
_AROUND = f"{MARKUP}\\$-"
_BRACKETS = "()[]{}<>"
_COMMAND = re.compile(r"^\$?\\[a-z]+\s*\{(.*)\}\$?$", re.DOTALL)
_BETWEEN_WORDS = re.compile(r"\s+|,|;|->|→")


def read_label(labels: Sequence[str], text: str) -> str | None:
    """Return the label at the beginning or end of a text, or the only label in it: `so it is False`.

    If a label is at both ends, the last one counts only as a conclusion (`… is False`). A label after "not" means the
    other one.

    Returns:
        The label; None if there is none, or if the text only lists the labels: `yes or no`.
    """
    found = list(re.finditer(rf"\b(?:{'|'.join(map(re.escape, labels))})\b", text, re.IGNORECASE))
    if not found or any(_ALTERNATIVES.match(text[label.end() :]) for label in found):
        return None
    opens = not text[: found[0].start()].strip(_AROUND)
    closes = not text[found[-1].end() :].strip(_AROUND)
    if not (opens or closes or len(found) == 1):
        return None
    concludes = closes and _CONCLUSION.search(text[: found[-1].start()])
    chosen = found[0] if opens and not concludes else found[-1]
    answer = next(label for label in labels if fold(label) == fold(chosen[0]))
    if _NEGATED.search(text[: chosen.start()].lower()):
        answer = next(label for label in labels if label != answer)
    return answer


def read_brackets(text: str) -> str | None:
    r"""Return the brackets of a text, separated by spaces, without those of surrounding LaTeX commands."""
    while box := _COMMAND.match(text.strip()):
        text = box[1]
    return " ".join(character for character in text if character in _BRACKETS) or None


def read_words(text: str) -> str | None:
    """Return the words of a text in lower case, without surrounding markup, list numbers and separators such as `<`.

    A list with one word per line is read to its end; otherwise only the first line counts.
    """
    lines = [words for line in text.splitlines() if (words := _words(line))]
    alone = list(takewhile(lambda words: len(words) == 1, lines))
    return " ".join(word for words in alone or lines[:1] for word in words) or None


def _words(line: str) -> list[str]:
    stripped = (part.strip(MARKUP) for part in _BETWEEN_WORDS.split(plain(line).replace("\\", "").casefold()))
    return [word for word in stripped if word.strip("0123456789-•")]


def _bare_line(text: str) -> str | None:
    """Return the last line if it has no letters or digits, so that brackets within a sentence do not count."""
    line = last_line(text)
    return line if line and not any(map(str.isalnum, line)) else None


def _announced_list(text: str) -> str | None:
    """Return the announced text with all following lines, since a list may have one item per line."""
    lines = text.splitlines()
    for number in range(len(lines) - 1, -1, -1):
        if announced(f"{lines[number]}\nbelow"):
            return "\n".join([announced(lines[number]) or "", *lines[number + 1 :]]).strip() or None
    return None


def _last_list(text: str) -> str | None:
    """Return the one-word lines at the end of a text, else its last line."""
    lines = [line for line in text.splitlines() if line.strip()]
    alone = list(takewhile(lambda line: len(_words(line)) == 1 and not line.endswith(":"), reversed(lines)))
    return "\n".join(reversed(alone or lines[-1:])) or None


def _labels(first: str, second: str) -> Form:
    labels = (first, second)
    return Form(f'as {first} or {second} alone: "Answer: WORD"', labels, partial(read_label, labels))


FORMS: Mapping[str, Form] = {
    "letter": Form('as the letter of an option alone: "Answer: LETTER"'),
    "text": Form(""),
    "integer": Form('as an integer alone: "Answer: NUMBER"'),
    "yes_no": _labels("Yes", "No"),
    "true_false": _labels("True", "False"),
    "validity": _labels("valid", "invalid"),
    "brackets": Form(
        'as the missing brackets alone, separated by spaces: "Answer: BRACKETS"',
        read=read_brackets,
        places=(announced, last_boxed, _bare_line),
    ),
    "words": Form(
        'as the words in order, separated by spaces: "Answer: WORDS"',
        read=read_words,
        places=(_announced_list, last_boxed, _last_list),
    ),
}
"""The forms of answers, by name. `text` is for three rows of letter tasks whose target is not a letter."""

_OTHERS: Mapping[str, str] = {
    "boolean_expressions": "true_false",
    "causal_judgement": "yes_no",
    "dyck_languages": "brackets",
    "formal_fallacies": "validity",
    "multistep_arithmetic_two": "integer",
    "navigate": "yes_no",
    "object_counting": "integer",
    "sports_understanding": "yes_no",
    "web_of_lies": "yes_no",
    "word_sorting": "words",
}
TASKS: Mapping[str, str] = {name: _OTHERS.get(name, "letter") for name in BBH_DIGESTS}
"""The form of each task's answers."""

_VARIANTS = ("logical_deduction", "tracking_shuffled_objects")
_LETTER = re.compile(r"\(([A-Z])\)")
_read_integer = number_reader(("announced", "boxed", "last_number"))


@task
def bbh(tasks: Selection = None, prompt: Prompt = "ours") -> Task:
    """Answer the questions of 27 tasks; `accuracy` is over all rows, `macro` is the mean over the paper's 23 tasks.

    Args:
        tasks: Tasks, as in `navigate,word_sorting`; all by default.
        prompt: `ours`, zero-shot, or `official` for the paper's prompt, with three examples and their reasoning, which
            is downloaded once from the authors' repository.

    Raises:
        UsageError: A task or the prompt does not exist.
        DataError: The rows or the paper's examples cannot be loaded, or do not match the pinned digests.
    """
    chosen = selected_names("bbh: tasks", tasks, TASKS)
    if prompt not in get_args(Prompt):
        raise UsageError(f"bbh: prompt={prompt!r}: expected one of {', '.join(get_args(Prompt))}.")
    examples = {name: read_examples(name) for name in chosen} if prompt == "official" else {}

    def to_samples(row: dict[str, Any]) -> list[Sample]:
        return [bbh_sample(row, examples.get(row["task"]))] if row["task"] in chosen else []

    rows = read_parts(BBH, lambda: [row for name in chosen for row in _read(name)])
    return Task(
        name="bbh",
        dataset=load_samples(rows, to_samples, name="bbh"),
        solver=generate(),
        scorer=bbh_scorer(),
        metrics=[accuracy(), stderr(), macro_average("family"), by_group("task")],
    )


def bbh_sample(row: dict[str, Any], examples: str | None = None) -> Sample:
    """Map a row with `input`, `target` and `task`. In letter tasks, the question includes the options.

    Args:
        row: The row.
        examples: The text before the question in the paper's prompt; None for the prompt of this package.

    Raises:
        ValueError: The task does not exist, or the target does not have the task's form.
    """
    name, question, target = row["task"], row["input"], row["target"].strip()
    if name not in TASKS:
        raise ValueError(f"task: {name!r} is not one of the {len(TASKS)} tasks")
    form = TASKS[name]
    metadata: dict[str, Any] = {"task": name, "family": next((v for v in _VARIANTS if name.startswith(v)), name)}
    if form == "letter":
        metadata["options"] = read_options(question)
        letter = _LETTER.fullmatch(target)
        form, target = ("letter", letter[1]) if letter else ("text", target)
    allowed = [*metadata["options"]] if form == "letter" else FORMS[form].labels
    if allowed and fold(target) not in map(fold, allowed):
        raise ValueError(f"target: {target!r} is not one of {', '.join(allowed)}")
    official = f"{examples}\n\nQ: {question}\nA: Let's think step by step."
    return Sample(
        input=official if examples else PROMPT.format(question=question, form=FORMS[TASKS[name]].instruction),
        target=target,
        metadata={**metadata, "form": form},
    )


def read_examples(name: str) -> str:
    """Return the description and the examples of a task, which come before the question in the paper's prompt."""
    return read_text(bbh_prompt(name)).partition("\n-----\n")[2].strip()  # a notice comes before the line


def reference(sample: Sample) -> str:
    """Return the reference completion of a sample."""
    target = sample.target if isinstance(sample.target, str) else sample.target[0]
    return f"Answer: {target}"


@scorer(metrics=[accuracy(), stderr()])
def bbh_scorer() -> Scorer:
    """Score answers in the form of their task: 1 for correct, 0 for wrong, higher is better."""

    async def score(state: TaskState, target: Target) -> Score:
        metadata = state.metadata
        return score_bbh(state.output.completion, target.text, metadata["form"], metadata.get("options") or {})

    return score


def score_bbh(completion: str, target: str, form: str, options: Mapping[str, str]) -> Score:
    """Score one completion.

    Instead of a letter, the text of its option also counts. Integers are compared by value. Any other answer is the
    announced text (`Answer: …`, `the answer is …`), else the boxed text, else the last line.

    Args:
        completion: The model's completion.
        target: The correct answer.
        form: The name of the answer's form.
        options: The texts of the options by letter.
    """
    match form:
        case "letter":
            return score_mcq(completion, target, dict(options))
        case "integer":
            return score_numeric(completion, [target], read=_read_integer)
    read, text = FORMS[form].read, cut_run_on(strip_reasoning(completion))
    found = (place(text) for place in FORMS[form].places)
    answer = next((answer for each in found if each and (answer := read(each))), None)
    return score_answer(completion, answer, [read(target) or target], same_text if form == "text" else eq)


def _read(name: str) -> list[dict[str, Any]]:
    return [{**row, "task": name} for row in read_rows(bbh_rows(name)).rows[0]["examples"]]
