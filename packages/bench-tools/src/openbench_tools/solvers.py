"""Asks the model for calls, with the provider's tools or in text."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.model import ChatMessageSystem
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, ToolCall, ToolDef, ToolParams
from inspect_ai.util import JSONSchema

from openbench.baselines.models import output
from openbench.baselines.reference import answered
from openbench.tasks.solvers import declare, static
from openbench_tools.calls import Call, write_calls
from openbench_tools.matching import CATEGORY, GROUND_TRUTH, TOOLS, Function, reference_calls

NATIVE = "native_tools"
"""The key of a sample's metadata that is true if functions were offered as the provider's tools."""

TEXT_PROMPT = """\
You can call these functions, each described by its name and a schema of its parameters:

{functions}

Decide which calls fulfil the user's request. Answer with these calls alone, as a Python list in which every argument \
is named: [first_function(name="value", count=2), second_function(flag=True)]

If no function can fulfil the request, or a value that a function requires is not given, answer with an empty list: \
[]"""

_TYPES: Mapping[str, str] = {"dict": "object", "float": "number", "tuple": "array", "any": "string"}
_NOT_IN_A_NAME = re.compile(r"[^a-zA-Z0-9_-]")


def native_names(functions: Sequence[Function]) -> dict[str, str]:
    """Return the functions' names by their names for providers, in which dots are replaced.

    Raises:
        ValueError: Two would have the same name.
    """
    names = {_NOT_IN_A_NAME.sub("_", function["name"]): function["name"] for function in functions}
    if len(names) < len(functions):
        raise ValueError(f"tools: several have the same name: {', '.join(function['name'] for function in functions)}")
    return names


def offered_tools(functions: Sequence[Function]) -> list[Tool]:
    """Return functions as tools, with JSON types and names that providers accept; calling one is an error."""
    return [_tool(function, name) for function, name in zip(functions, native_names(functions), strict=True)]


@solver
def native_reference() -> Solver:
    """Return right calls, in the format of a provider."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - Inspect's signature
        natives = {own: native for native, own in native_names(state.metadata[TOOLS]).items()}
        state.metadata = {**state.metadata, NATIVE: True}
        calls = _right(state)
        state.output = output("baseline/reference", state.input_text, "" if calls else "No function fits.")
        state.output.message.tool_calls = [
            ToolCall(id=f"call_{number}", function=natives[call.name], arguments=dict(call.arguments))
            for number, call in enumerate(calls, start=1)
        ]
        state.messages.append(state.output.message)
        return state

    return solve


@declare(reference=native_reference)
@solver
def bfcl_solver() -> Solver:
    """Offer the functions of a sample's metadata, under `tools`, as tools; calls are recorded and not executed."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.tools = offered_tools(state.metadata[TOOLS])
        state.metadata = {**state.metadata, NATIVE: True}
        return await generate(state, tool_calls="none")

    return solve


@static
@solver
def text_reference() -> Solver:
    """Answer with right calls, as text."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - Inspect's signature
        return answered(state, write_calls(_right(state)))

    return solve


@declare(reference=text_reference)
@static
@solver
def bfcl_text_solver(template: str | None = None) -> Solver:
    """Describe the functions of a sample's metadata (`tools`) before the system message, and ask for calls in Python.

    Args:
        template: The prompt, with `{functions}` for the functions; by default `TEXT_PROMPT`.
    """
    prompt_template = TEXT_PROMPT if template is None else template

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        prompt = prompt_template.replace("{functions}", json.dumps(state.metadata[TOOLS], indent=4, ensure_ascii=False))
        first, *rest = state.messages
        if first.role == "system":
            state.messages = [ChatMessageSystem(content=f"{prompt}\n\n{first.text}"), *rest]
        else:
            state.messages = [ChatMessageSystem(content=prompt), first, *rest]
        return await generate(state)

    return solve


def _right(state: TaskState) -> list[Call]:
    return reference_calls(state.metadata[CATEGORY], state.metadata[TOOLS], state.metadata.get(GROUND_TRUTH) or [])


def _tool(function: Function, name: str) -> Tool:
    async def never() -> str:
        raise RuntimeError("the calls of this benchmark are not executed")

    schema = _json_schema(function["parameters"])
    described = {each: {"description": each, **of} for each, of in schema.get("properties", {}).items()}
    parameters = ToolParams.model_validate({"properties": described, "required": schema.get("required", [])})
    description = function.get("description") or name
    return ToolDef(never, name=name, description=description, parameters=parameters, parallel=True).as_tool()


def _json_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema with JSON types, and only the keys that Inspect passes on."""
    known = {key: value for key, value in schema.items() if key in JSONSchema.model_fields and key != "default"}
    if kind := known.get("type"):
        known["type"] = _TYPES.get(kind, kind)
    if properties := known.get("properties"):
        known["properties"] = {name: _json_schema(each) for name, each in properties.items()}
    if isinstance(known.get("items"), dict):
        known["items"] = _json_schema(known["items"])
    return known | ({"default": schema["default"]} if "default" in schema else {})
