"""Asks for a patch of a repository, with the issue and the files that the row has."""

from collections.abc import Mapping
from typing import Any

from inspect_ai.model import ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState, solver

from openbench.tasks.solvers import static
from openbench_swebench.patches import read_patch

_PROMPT = """\
Here is an issue of the repository {repository}{with_files}.

<issue>
{issue}
</issue>
{sections}
Resolve the issue with one patch in unified diff format, which `git apply` takes: paths begin with a/ and b/, and \
every hunk has a head with line numbers, @@ -START,COUNT +START,COUNT @@. Put the patch between <patch> and </patch>."""


@static
@solver
def swebench_patch_solver(include_hints: bool = False) -> Solver:
    """Ask for a unified diff, and keep it as the completion; an answer without one stays as it is.

    The sample's metadata are a row of SWE-bench. If it has a `text`, as the datasets with retrieved files do, this is
    the prompt. Otherwise ours has the sample's input as the issue, and the row's `code`, the contents of files.

    Args:
        include_hints: In our own prompt, show the row's `hints_text` too: the discussion of the issue before the fix.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.messages = [ChatMessageUser(content=_prompt(state.input_text, state.metadata, hints=include_hints))]
        state = await generate(state)
        if patch := read_patch(state.output.completion):
            state.output.completion = patch
        return state

    return solve


def _prompt(issue: str, row: Mapping[str, Any], *, hints: bool) -> str:
    if text := row.get("text"):
        return str(text)
    parts = {"code": row.get("code"), "hints": row.get("hints_text") if hints else None}
    sections = [f"\n<{name}>\n{part}\n</{name}>\n" for name, part in parts.items() if part and part.strip()]
    return _PROMPT.format(
        repository=row.get("repo") or "that the issue is about",
        with_files=", and files of it" if parts["code"] else "",
        issue=issue,
        sections="".join(sections),
    )
