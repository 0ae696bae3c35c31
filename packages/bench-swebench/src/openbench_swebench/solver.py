"""Asks for a patch of a repository, given the issue and the row's files."""

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
    """Ask for a unified diff, and keep it as the completion; an answer without one is not changed.

    The sample's metadata are a row of SWE-bench. If the row has a `text`, as in the datasets with retrieved files, that
    is the prompt. Otherwise the package's own prompt contains the sample's input as the issue, and the row's `code`.

    Args:
        include_hints: Whether that prompt also contains the row's `hints_text`, the discussion before the fix.
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
