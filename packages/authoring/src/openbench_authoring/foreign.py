"""Attributes and hooks of eval-framework classes that nothing here reads: each is refused, with the alternative."""

from collections.abc import Iterator
from types import CodeType, FunctionType

# To leave one out in silence would change the class's scores.
_NEVER_READ = {
    "REVISION_LOCKFILE": "write the commit in HF_REVISION",
    "TASK_STYLER": "write the hooks out, or use openbench's MCQEval(style=...)",
    "_apply_user_prompt_suffix": "end what _get_instruction_text gives with the suffix",
    "_filter_task_subjects": "give the class subjects=[...]",
    "_get_example_messages": "override _get_instruction_text and _get_fewshot_target_text, or all of _get_messages",
    "_get_instruction_messages": "override _get_instruction_text, or all of _get_messages",
    "generate_completions": "set max_tokens and stop_sequences in __init__, or the solver by inspect_ai.task_with",
    "iterate_samples": "override _create_samples",
    "with_overwrite": "give the class subjects=[...] and revision=...",
}

# Hooks there, of tasks with a styler; here they may be helpers that the class calls itself.
_READ_IF_CALLED = {
    "_get_choices": "name the choices in _get_instruction_text, and rank them by _get_possible_completions",
    "_get_correct_index": "give the right answer by _get_ground_truth",
    "_get_raw_question": "give the question by _get_instruction_text",
}


def foreign(task: type) -> Iterator[str]:
    """Name a class's attributes and hooks that have no meaning here."""
    called = _called(task)
    for name, way_out in {**_NEVER_READ, **_READ_IF_CALLED}.items():
        own_helper = name in _READ_IF_CALLED and name in called
        if getattr(task, name, None) is not None and not own_helper:
            yield f"{name} has no meaning here: {way_out}."


def _called(task: type) -> set[str]:
    """Return the names that the methods of a class mention, except each method's own name."""
    methods = [(name, value) for each in task.__mro__ for name, value in vars(each).items()]
    return {
        mentioned
        for name, method in methods
        if isinstance(method, FunctionType)
        for mentioned in _mentioned(method.__code__)
        if mentioned != name
    }


def _mentioned(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _mentioned(constant)
