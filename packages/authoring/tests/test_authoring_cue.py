"""Cues: a prefill where the provider continues it, a line of the question where it does not, and the log says which."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentImage,
    ContentText,
    ModelName,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.solver import TaskState, generate

from openbench.errors import DataError, UsageError
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_authoring import _registry
from openbench_authoring.cue import CUE_AS_KEY, CUE_KEY, PROVIDERS, answer_after_cue, continues, cue, without_cue
from openbench_testing import ChatServer

QUESTION = "Q: What is the capital of Germany?"


def given_cue(text, *, mode="auto", model="openai/m", messages=None):
    """Return the state that the solver makes of a question with a cue."""
    messages = messages or [ChatMessageSystem(content="Be brief."), ChatMessageUser(content=QUESTION)]
    state = TaskState(ModelName(model), "q1", 1, QUESTION, list(messages), metadata={CUE_KEY: text})
    return asyncio.run(cue(mode)(state, None))


def texts(state):
    return [(message.role, message.content) for message in state.messages]


APPENDED = [("system", "Be brief."), ("user", f"{QUESTION}\nA:")]
PREFILLED = [("system", "Be brief."), ("user", QUESTION), ("assistant", "A:")]


@pytest.mark.parametrize(
    ("mode", "model", "messages"),
    [
        ("auto", "vllm/m", PREFILLED),
        ("auto", "anthropic/claude-opus-4-6", APPENDED),
        ("auto", "openai/m", APPENDED),
        ("auto", "some-provider-of-tomorrow/m", APPENDED),
        ("prefill", "openai/m", PREFILLED),
        ("append", "vllm/m", APPENDED),
    ],
)
@pytest.mark.parametrize("text", ["A:", "A: ", "A:\n"])
def test_where_the_cue_goes(mode, model, messages, text):
    state = given_cue(text, mode=mode, model=model)
    assert texts(state) == messages
    assert state.metadata == {CUE_KEY: text, CUE_AS_KEY: "prefill" if messages == PREFILLED else "appended"}


@pytest.mark.parametrize("text", [None, "", " \n"])
def test_a_sample_without_a_cue_is_left_alone(text):
    state = given_cue(text, model="vllm/m")
    assert (len(state.messages), state.metadata) == (2, {CUE_KEY: text})


def test_the_line_goes_to_the_last_user_message():
    image = ContentImage(image="data:image/png;base64,AA==")
    turns = [ChatMessageUser(content="1?"), ChatMessageAssistant(content="A: 1"), ChatMessageUser(content="2?\n")]
    assert texts(given_cue("A:", messages=turns))[-1] == ("user", "2?\nA:")
    asked = ChatMessageUser(content=[ContentText(text="What is this?")])
    assert given_cue("A:", messages=[asked]).messages[0].content == [ContentText(text="What is this?\nA:")]
    assert asked.text == "What is this?"
    asked = ChatMessageUser(content=[ContentText(text="What is this?"), image])
    assert given_cue("A:", messages=[asked]).messages[0].content == [*asked.content, ContentText(text="A:")]


@pytest.mark.parametrize(
    ("text", "messages", "reason"),
    [
        (["A:"], None, "the sample 'q1': its cue is ['A:'], where a text is expected."),
        (
            "A:",
            [ChatMessageUser(content="?"), ChatMessageAssistant(content="B")],
            "the sample 'q1' has a cue, but its conversation ends with an answer already.",
        ),
        (
            "A:",
            [ChatMessageSystem(content="Be brief.")],
            "the sample 'q1' has no user message that its cue could be appended to.",
        ),
    ],
)
def test_what_cannot_be_cued(text, messages, reason):
    with pytest.raises(DataError) as caught:
        given_cue(text, messages=messages)
    assert str(caught.value) == reason


def test_an_unknown_mode():
    with pytest.raises(UsageError) as caught:
        cue("system")
    assert str(caught.value) == "cue: the mode 'system' is unknown. Known: auto, prefill, append."


def test_the_table_of_providers():
    assert sorted(filter(continues, PROVIDERS)) == ["groq", "sagemaker", "sglang", "vllm"]
    assert all(provider.source for provider in PROVIDERS.values())
    assert "cue" in _registry.__all__


# --- in a run ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Evaluate one cued question, and return the logged sample."""
    monkeypatch.setenv("LOCAL_API_KEY", "x")

    def evaluate(model, mode="auto", **options):
        task = Task([Sample(QUESTION, target="A: Berlin.", metadata={CUE_KEY: "A:"})], solver=[cue(mode), generate()])
        (log,) = inspect_eval(task, model=model, display="none", log_dir=str(tmp_path), **options)
        assert log.status == "success", log.error
        assert log.plan.steps[0].params == {"mode": mode}
        return log.samples[0]

    return evaluate


@pytest.mark.parametrize(
    ("model", "done"), [("vllm/m", "prefill"), ("sglang/m", "prefill"), ("openai-api/local/m", "appended")]
)
def test_what_a_server_is_sent(run, model, done):
    with ChatServer(" Berlin.") as server:
        sample = run(model, model_base_url=server.base_url)
        (request,) = server.requests
    assert sample.metadata == {CUE_KEY: "A:", CUE_AS_KEY: done}
    if done == "prefill":
        assert [message["content"] for message in request.messages] == [QUESTION, "A:"]
        assert (request.body["continue_final_message"], request.body["add_generation_prompt"]) == (True, False)
    else:
        assert [message["content"] for message in request.messages] == [f"{QUESTION}\nA:"]
        assert "continue_final_message" not in request.body


def test_other_models_take_a_conversation_that_ends_with_a_prefill(run):
    answer = ModelOutput.from_content("mockllm", " Berlin.")
    answer.usage = ModelUsage()
    sample = run(get_model("mockllm/model", custom_outputs=[answer], memoize=False), "prefill")
    assert [message.text for message in sample.messages] == [QUESTION, "A:", " Berlin."]
    assert sample.output.completion == " Berlin."
    assert run("baseline/echo", "prefill").output.completion == QUESTION


def test_baselines_answer_the_question_before_a_prefill():
    prompt = create_dynamic_multiple_choice_prompt("Which?", ["red", "green", "blue"])
    model = get_model("baseline/random")
    plain = asyncio.run(model.generate(prompt)).completion
    prefilled = [ChatMessageUser(content=prompt), ChatMessageAssistant(content="Answer:")]
    assert asyncio.run(model.generate(prefilled)).completion == plain


# --- answers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["A: Berlin.", " Berlin.", "Berlin.", "\n\nA:Berlin.", "A:\nBerlin."])
def test_an_answer_is_the_same_with_and_without_the_cue(text):
    assert without_cue(text, "A:") == without_cue(text, " A: ") == "Berlin."


def test_one_repetition_at_the_start_is_dropped():
    assert without_cue("A: A: Berlin", "A:") == "A: Berlin"
    assert without_cue("It is A: Berlin", "A:") == "It is A: Berlin"
    assert without_cue("Berlin ", "") == "Berlin "
    assert without_cue("A:", "A:") == ""


def test_an_answer_after_reasoning_and_the_cue():
    assert answer_after_cue("<think>A: Rome.</think>A: Berlin.", "A:") == "Berlin."
    assert answer_after_cue("<think>x</think> Berlin.", "A:") == "Berlin."
    assert answer_after_cue("A", "A") == "A"
    assert answer_after_cue("<think>x</think>A:", "A:").strip() == "A:"


@given(st.text(), st.text())
def test_any_text_may_follow_a_cue(text, cue_text):
    assert without_cue(cue_text + text, cue_text) == text.lstrip()
    assert without_cue(text, cue_text) in text
