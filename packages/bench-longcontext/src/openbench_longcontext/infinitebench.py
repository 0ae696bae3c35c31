"""InfiniteBench: twelve tasks with contexts of about 100,000 tokens.

Zhang et al. (2024), https://arxiv.org/abs/2402.13718
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal, get_args

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Metric, Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState, generate

from openbench.datasets import load_samples, read_parts, read_rows, read_text
from openbench.scorers.cleaning import strip_reasoning
from openbench.scorers.reasons import unanswered
from openbench_longcontext.infinitebench_scores import RULES
from openbench_longcontext.lengths import LENGTH, measured
from openbench_longcontext.metadata import INFINITEBENCH, INFINITEBENCH_PROMPTS
from openbench_longcontext.published import literal
from openbench_longcontext.tokens import APPROXIMATE, TokenCounter, token_counter
from openbench_scorers.means import by_group, macro_average
from openbench_scorers.options import one_of, one_or_several
from openbench_scorers.selection import Selection, selected_names, selected_rows

WAIVERS = {"leak": "the long text contains the answer"}
GOLDENS = {
    "numbers": {"tasks": "code_run,code_debug,math_find"},
    "books": {"tasks": "math_calc,longdialogue_qa_eng,longbook_qa_eng"},
    "other": {"tasks": "longbook_qa_chn,longbook_choice_eng,longbook_sum_eng"},
}

Prompt = Literal["ours", "official"]
TooLong = Literal["leave_out", "cut"]

TASK, CONTEXT = "task", "context"
"""Keys of a sample's metadata: its task, and whether its context is whole or cut."""

_WHOLE, _CUT = "whole context", "cut context"
_FILES = {"longbook_qa_eng": "7f53a3aabd5445fa29f168914f13569c348406cfc88a3e495f3f2c13a0966ca4"}
_OPTIONS = "A. {OPTION_A}\nB. {OPTION_B}\nC. {OPTION_C}\nD. {OPTION_D}"
_HIDDEN = "Somewhere in the text below stands what a question after it asks for. All else is irrelevant.\n\n"
OURS: Mapping[str, str] = {
    "passkey": _HIDDEN + "{context}\n\n{input}\nAnswer with the digits alone.",
    "number_string": _HIDDEN + "{context}\n\n{input}\nAnswer with the digits alone.",
    "kv_retrieval": "Look up the value of a key in this JSON.\n\n{context}\n\n{input}\nAnswer with the value alone.",
    "code_run": ("Here are functions in Python.\n\n{context}\n\nWhat does {func_call} return? End with the number."),
    "code_debug": (
        "One function of the program below has an obvious error, put there on purpose.\n\n{context}\n\n"
        f"Which function is it?\n{_OPTIONS}\n\n"
        "Think if you need to, and end with the line `The answer is: X`, where X is a letter."
    ),
    "math_find": "{prefix}\n\n{context}\n\n{input}\nAnswer with the number alone.",
    "math_calc": (
        "Compute this expression from left to right, and give the value after each operation, beginning with the first "
        "number, as a list such as [1, 3, -1]. Give all values, and nothing else.\n\n{context}"
    ),
    "longdialogue_qa_eng": (
        "In this script one name of a character is replaced by $$MASK$$.\n\n{context}\n\n"
        "Whose name is $$MASK$$? Answer with the name as it stands before the lines, alone."
    ),
    "longbook_qa_eng": "Here is a book.\n\n{context}\n\nAnswer in a few words: {question}",
    "longbook_qa_chn": "下面是一本书。\n\n{context}\n\n用几个字回答：{question}",  # noqa: RUF001 - Chinese
    "longbook_choice_eng": (
        f"Here is a book.\n\n{{context}}\n\n{{question}}\n{_OPTIONS}\n\nAnswer with the letter of the right one alone."
    ),
    "longbook_sum_eng": "Here is a book.\n\n{context}\n\nSummarise it.",
}


@task
def infinitebench(
    tasks: Selection = None,
    max_context_size: int | None = None,
    too_long: TooLong = "leave_out",
    tokenizer: str = APPROXIMATE,
    prompt: Prompt = "ours",
) -> Task:
    """Retrieve, read, compute and summarise, with the mean by task and length.

    Args:
        tasks: One or more of the twelve tasks, such as `passkey,longbook_qa_eng`; all by default.
        max_context_size: The maximum number of tokens of a prompt. No limit by default.
        too_long: The treatment of longer prompts: `leave_out`, or `cut`, which removes the middle of the context.
        tokenizer: The tokenizer that lengths are counted with: `approximate`, `model`, or as in `token_counter`.
        prompt: `ours`, or `official`: the original's prompts for GPT-4, downloaded and pinned.

    Raises:
        UsageError: An argument is invalid, or every prompt is too long.
        DataError: The rows, the prompts or the tokenizer cannot be read.
    """
    one_of("infinitebench: prompt", prompt, get_args(Prompt))
    one_of("infinitebench: too_long", too_long, get_args(TooLong))
    names = selected_names("infinitebench: tasks", tasks, RULES)
    counter = token_counter(tokenizer)
    templates = OURS if prompt == "ours" else literal(read_text(INFINITEBENCH_PROMPTS), "gpt4_templates", dict)
    all_rows = read_parts(INFINITEBENCH, lambda: [row for name in names for row in _read(name)])
    rows = selected_rows(all_rows, "infinitebench: tasks", TASK, tasks)
    max_tokens = max_context_size if too_long == "cut" else None

    def to_sample(row: dict[str, Any]) -> Sample:
        return record_to_sample(row, templates, counter, max_tokens)

    dataset, metadata = measured(load_samples(rows, to_sample, name="infinitebench"), counter, max_context_size)
    return Task(
        name="infinitebench",
        dataset=dataset,
        solver=generate(),
        scorer=infinitebench_scorer(),
        config=GenerateConfig(temperature=0.0),
        metadata=metadata,
    )


def _read(name: str) -> Iterator[dict[str, Any]]:
    file = replace(INFINITEBENCH, source=f"{INFINITEBENCH.source}/{name}.jsonl", sha256=_FILES.get(name))
    for row in read_rows(file).rows:
        yield {**row, TASK: name}


def record_to_sample(
    row: Mapping[str, Any],
    templates: Mapping[str, str] = OURS,
    counter: TokenCounter | None = None,
    max_tokens: int | None = None,
) -> Sample:
    """Map a row of a task.

    Args:
        row: `task`, `id`, `context`, `input`, `answer`, and for some tasks `options`.
        templates: The prompt templates by task, with the original's placeholders.
        counter: The token counter; None if contexts are not cut.
        max_tokens: The number of tokens to which longer prompts are cut; None for no limit.
    """
    name, context = row[TASK], row["context"]
    write = _writer(row, templates[name])
    prompt, state = write(context), _WHOLE
    while counter and max_tokens and (tokens := counter.count(prompt)) > max_tokens and context:
        keep = min(len(context) - 1, int(len(context) * (1 - 1.02 * (tokens - max_tokens) / tokens)))
        half = max(0, keep) // 2
        context, state = context[:half] + context[len(context) - half :], _CUT
        prompt = write(context)
    return Sample(
        id=f"{name}-{row['id']}",
        input=prompt,
        target=_targets(row),
        metadata={TASK: name, CONTEXT: state},
    )


def reference(sample: Sample) -> str:
    """Return the correct answer in the form that the task's rule reads."""
    targets = list(sample.target)
    match (sample.metadata or {})[TASK]:
        case "math_calc":
            return f"[{', '.join(targets)}]"
        case "code_debug":
            return f"The answer is: {targets[1]}"
        case "longbook_choice_eng":
            return targets[1]
    return targets[0]


def wrong(sample: Sample) -> str:  # noqa: ARG001 - the same for all samples
    """Return an answer that shares no word with any target."""
    return "zxqvj"


def _metrics() -> list[Metric]:
    return [macro_average(TASK), mean(), stderr(), by_group(TASK), by_group(LENGTH), by_group(CONTEXT)]


@scorer(metrics=_metrics())
def infinitebench_scorer() -> Scorer:
    """Score a response, without its reasoning, by the rule of its task, from 0 to 1."""

    async def score(state: TaskState, target: Target) -> Score:
        response = strip_reasoning(state.output.completion).strip()
        value = RULES[state.metadata[TASK]](response, list(target)) if response else 0.0
        return Score(value=value, answer=response, reason=None if response else unanswered(response))

    return score


def _writer(row: Mapping[str, Any], template: str) -> Callable[[str], str]:
    """Return a function that writes the prompt of a row around a context."""
    question = row["input"]
    fields: dict[str, str] = {"input": question, "question": question}
    for letter, option in zip("ABCD", row.get("options") or (), strict=False):
        fields[f"OPTION_{letter}"] = option
    if row[TASK] == "code_run":
        call = re.search(r"(func_[0-9]+)\(-?[0-9]+\)", question)
        if call is None:
            raise ValueError(f"input: no call such as func_1(2) in {question!r:.80}")
        fields |= {"func": call[1], "func_call": call[0]}
    if row[TASK] == "math_find":
        target = re.search(r"The .+ of", question)
        if target is None:
            raise ValueError(f"input: no 'The … of' in {question!r:.80}")
        fields["prefix"] = f"What is {target[0].lower()[:-3]} in the following list?"
    return lambda context: template.format(context=context, **fields)


def _targets(row: Mapping[str, Any]) -> list[str]:
    answers = one_or_several(row["answer"])
    if row[TASK] in {"code_debug", "longbook_choice_eng"}:
        options = row["options"]
        if answers[0] not in options:
            raise ValueError(f"answer: {answers[0]!r:.80} is not one of the options")
        return [answers[0], "ABCD"[options.index(answers[0])]]
    if answers and isinstance(answers[0], list):
        answers = answers[0]
    return [str(each) for each in answers]
