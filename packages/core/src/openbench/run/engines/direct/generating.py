"""The function `generate` that solvers get."""

from typing import Any, Literal

from inspect_ai.model import GenerateConfig, execute_tools
from inspect_ai.solver import Generate, TaskState

from openbench.run.engines.direct.setting import Setting


def generate_of(setting: Setting) -> Generate:
    """Return a function that asks the model, and puts what it says into the state, as inspect's does."""

    async def generate(
        state: TaskState, tool_calls: Literal["loop", "single", "none"] = "loop", **given: Any
    ) -> TaskState:
        given = {name: value for name, value in given.items() if value is not None}
        config = setting.config.merge(GenerateConfig(**given)) if given else setting.config  # a merge copies everything
        cache = {"cache": given["cache"]} if given.get("cache") else {}
        while True:
            state.output = await setting.model.generate(
                state.messages, tools=state.tools, tool_choice=state.tool_choice, config=config, **cache
            )
            message = state.output.message
            state.messages.append(message)
            if state.completed or tool_calls == "none" or not message.tool_calls:
                return state
            # There are no tools: the model is told so, as it is by inspect.
            told, output = await execute_tools(state.messages, state.tools, config.max_tool_output)
            state.messages.extend(told)
            if output is not None:
                state.output = output
            if tool_calls == "single":
                return state

    return generate
