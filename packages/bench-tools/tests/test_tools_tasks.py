"""Functions offered as tools and in text, and how the answers are scored."""

import json
from pathlib import Path

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import CORRECT, INCORRECT
from inspect_ai.tool import ToolCall

import openbench_tools
from openbench.baselines.reference import reference_solver
from openbench.datasets import bundled_rows
from openbench.errors import UsageError
from openbench.run.summary import is_answered_sample
from openbench_components.components import find_component
from openbench_testing import ChatServer
from openbench_testing.chat import Reply
from openbench_tools.bfcl import bfcl, bfcl_live, record_to_sample
from openbench_tools.solvers import native_names

SAMPLES = Path(openbench_tools.__file__).parent / "samples"
ADD = {
    "name": "sums.add",
    "description": "Adds two numbers.",
    "parameters": {
        "type": "dict",
        "properties": {"a": {"type": "integer"}, "b": {"type": "float", "default": 1.0}, "how": {"type": "any"}},
        "required": ["a"],
    },
}
ACCEPTED = [{"sums.add": {"a": [2], "b": [3.0, ""]}}]


def built(function, **arguments):
    with bundled_rows(SAMPLES / function.__name__):
        return function(**arguments)


def scored(solver, cases, tmp_path):
    """Return the scores of samples by their outputs and categories, and the requests."""
    make, score = find_component("solver", solver).create, find_component("scorer", "bfcl_scorer").create
    samples = [
        Sample("2 + 3?", id=number, metadata={"tools": tools, "category": category, "ground_truth": accepted})
        for number, (_, category, tools, accepted) in enumerate(cases, start=1)
    ]
    outputs = [case[0] for case in cases]
    for output in outputs:
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    model = get_model("mockllm/model", custom_outputs=outputs, memoize=False)
    task = Task(dataset=samples, solver=make(), scorer=score())
    log = inspect_eval(task, model=model, max_samples=1, display="none", log_dir=str(tmp_path))[0]
    assert log.status == "success", log.error
    requests = [event for sample in log.samples for event in sample.events if event.event == "model"]
    return [sample.scores["bfcl_scorer"] for sample in log.samples], requests


def called(arguments, name="sums_add", parse_error=None):
    made = ToolCall(id="c1", function=name, arguments=arguments, parse_error=parse_error)
    message = ChatMessageAssistant(content="", tool_calls=[made])
    return ModelOutput(model="m", choices=[ChatCompletionChoice(message=message, stop_reason="tool_calls")])


def said(text, stop_reason="stop"):
    return ModelOutput.from_content("m", text, stop_reason=stop_reason)


MALFORMED = called({}, parse_error="Expecting value")


NATIVE = [
    (called({"a": 2, "b": 3}), "simple_python", CORRECT, None),
    (called({"a": 2}, "sums.add"), "simple_python", CORRECT, None),
    (called({"a": 3}), "simple_python", INCORRECT, None),
    (MALFORMED, "simple_python", INCORRECT, "invalid_response_format"),
    (called({"a": 2}), "irrelevance", INCORRECT, None),
    (MALFORMED, "irrelevance", INCORRECT, "invalid_response_format"),
    (said("No function fits."), "irrelevance", CORRECT, None),
    (said("[sums_add(a=2)]"), "irrelevance", INCORRECT, "invalid_response_format"),
    (said("[sums_add(a=2)]"), "simple_python", INCORRECT, "invalid_response_format"),
    (said("No func", "max_tokens"), "irrelevance", INCORRECT, "invalid_response_format"),
    (said(" "), "irrelevance", INCORRECT, "no_response"),
    (called({"c": 2}), "live_relevance", CORRECT, None),
    (called({}, "other"), "live_relevance", INCORRECT, None),
    (said("No function fits."), "live_relevance", INCORRECT, None),
]


def test_tools_of_the_provider(tmp_path):
    cases = [(output, kind, [ADD], ACCEPTED if kind == "simple_python" else []) for output, kind, *_ in NATIVE]
    scores, requests = scored("bfcl_solver", cases, tmp_path)
    assert [(score.value, score.reason) for score in scores] == [tuple(case[2:]) for case in NATIVE]
    [tool] = requests[0].tools
    assert tool.name == "sums_add"
    types = {name: each.type for name, each in tool.parameters.properties.items()}
    assert types == {"a": "integer", "b": "number", "how": "string"}


TEXT = [
    ("[sums.add(a=2, b=3)]", "simple_python", CORRECT),
    ("[sums_add(a=2)]", "simple_python", INCORRECT),
    ("[]", "irrelevance", CORRECT),
    ("No function fits.", "irrelevance", CORRECT),
    ('{"name": "sums.add", "arguments": {"a": 2}}', "irrelevance", INCORRECT),
]


def test_functions_in_text(tmp_path):
    written = ["sums.add(a=2, b=3.0)"]
    cases = [(said(text), kind, [ADD], written if kind == "simple_python" else []) for text, kind, _ in TEXT]
    foreign = [{"name": "f", "parameters": {"properties": {"x": {"type": "ArrayList"}}}}]
    *scores, unscored = scored("bfcl_text_solver", [*cases, (said("[f(x=1)]"), "java", foreign, ["f(x=1)"])], tmp_path)[
        0
    ]
    assert [score.value for score in scores] == [value for *_, value in TEXT]
    assert unscored.explanation.startswith("Not scored: ValueError: f: the parameter 'x' has the type 'ArrayList'")


def served(request):
    """Answer one sample with a right call, the others with a malformed one."""
    names = [tool["function"]["name"] for tool in request.body["tools"]]
    right = "9 metres" in request.prompt
    made = {"name": names[0], "arguments": '{"length": 9, "nights": 3}' if right else '{"length": '}
    return Reply("", "tool_calls", {"tool_calls": [{"id": "c1", "type": "function", "function": made}]})


def test_a_run_over_http(bench, tmp_path):
    with ChatServer(served) as server:
        options = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--json"]
        done = bench("eval", "bfcl", "--sample", *options, cwd=tmp_path)
        [first] = [request for request in server.requests if "9 metres" in request.prompt]
    [result] = done.json()
    assert (done.code, result["completed"], result["errors"]) == (0, 6, 0), done.err
    assert result["score"] == pytest.approx(1 / 6)
    [tool] = first.body["tools"]
    assert tool["function"]["name"] == "harbour_book_berth"
    assert tool["function"]["parameters"]["required"] == ["length", "nights"]


def test_the_reference_makes_tool_calls(tmp_path):
    task = built(bfcl)
    task.solver = reference_solver(task, bfcl)
    log = inspect_eval(task, model="baseline/reference", display="none", log_dir=str(tmp_path))[0]
    assert log.results.scores[0].metrics["accuracy"].value == 1.0
    made = {sample.id: sample.output.message.tool_calls or [] for sample in log.samples}
    assert [call.function for call in made["simple_python_s1"]] == ["harbour_book_berth"]
    assert made["irrelevance_s1"] == []
    assert all(is_answered_sample(sample) for sample in log.samples)
    groups = next(score for score in log.results.scores if "parallel" in score.metrics).metrics
    assert {"simple_python", "multiple", "parallel", "parallel_multiple", "irrelevance"} <= set(groups)


def test_arguments():
    assert {sample.metadata["category"] for sample in built(bfcl_live, categories="live_relevance").dataset} == {
        "live_relevance"
    }
    for arguments, message in (
        (
            {"categories": ["live_simple"]},
            "categories: unknown 'live_simple': expected some of simple_python, multiple",
        ),
        ({"ask": "tools"}, "ask='tools': expected one of native, text."),
        ({"prompt": "theirs"}, "prompt='theirs': expected one of ours, official."),
        ({"prompt": "official"}, "prompt=official needs ask=text: with the provider's tools there is no prompt."),
    ):
        with pytest.raises(UsageError) as error:
            built(bfcl, **arguments)
        assert str(error.value).startswith(message)


def test_a_row_whose_answer_calls_no_offered_function_is_refused():
    turn = [{"role": "user", "content": "?"}]
    row = {"id": "1", "question": [turn], "function": [ADD], "ground_truth": [{"g": {}}], "category": "multiple"}
    with pytest.raises(ValueError, match=r"^ground_truth: 'g' is not one of the functions: sums.add$"):
        record_to_sample(row)


def test_functions_that_providers_would_call_the_same_are_refused():
    with pytest.raises(ValueError, match=r"^tools: several have the same name: a.b, a_b$"):
        native_names([{"name": "a.b"}, {"name": "a_b"}])


def test_a_conversation_keeps_its_roles():
    [sample] = [each for each in built(bfcl_live).dataset if each.id == "live_simple_s1"]
    assert [message.role for message in sample.input] == ["system", "user"]
    assert json.loads(json.dumps(sample.metadata["ground_truth"])) == sample.metadata["ground_truth"]
