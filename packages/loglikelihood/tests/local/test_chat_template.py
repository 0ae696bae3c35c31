"""Ranked prompts in a tokenizer's chat template."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, get_model

from openbench.errors import UsageError
from openbench_loglikelihood.chat import Chat, with_cue_asked
from openbench_loglikelihood.request import Request
from openbench_ranking.request import ranking_sample
from openbench_ranking.scorer import ranking
from openbench_ranking.solver import rank

TEMPLATE = (
    "{% for message in messages %}<s>{{ message['role'] }}\n{{ message['content'] }}</s>\n{% endfor %}"
    "{% if add_generation_prompt %}<s>assistant\n{% endif %}"
)
REFUSES_SYSTEM = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system role') }}{% endif %}" + TEMPLATE
MESSAGES = [
    ChatMessageSystem(content="Be brief."),
    ChatMessageUser(content="Question: 1?"),
    ChatMessageAssistant(content="Answer: one"),
    ChatMessageUser(content="Question: 2?"),
    ChatMessageAssistant(content="Answer:"),
]
CONTINUED = "<s>user\nQuestion: 1?</s>\n<s>assistant\nAnswer: one</s>\n<s>user\nQuestion: 2?</s>\n<s>assistant\nAnswer:"
ONE_MESSAGE = "<s>user\nQuestion: 1?\nAnswer: one\n\nQuestion: 2?</s>\n<s>assistant\nAnswer:"
OPENED = "<s>user\none two</s>\n<s>assistant\n"


@pytest.fixture(scope="module")
def save(tmp_path_factory, model_of, tokenizer_that_adds):
    """A function that writes a model with a chat template to a folder."""

    def saved(template=TEMPLATE):
        folder = tmp_path_factory.mktemp("model")
        tokenizer = tokenizer_that_adds()
        tokenizer.chat_template = template
        model_of("llama").save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        return folder

    return saved


@pytest.fixture(scope="module")
def saved(save):
    return save()


def ranked(folder, sample, log_dir, unconditional=None, **arguments):
    model = get_model(f"openbench-hf/{folder}", memoize=False, device="cpu", **arguments)
    task = Task([sample], solver=rank(unconditional), scorer=ranking())
    [log] = inspect_eval(task, model=model, log_dir=str(log_dir), display="none")
    assert log.status == "success", log.error
    return log


@pytest.mark.parametrize(
    ("content", "arguments", "context", "options"),
    [
        (MESSAGES, {}, f"<s>system\nBe brief.</s>\n{CONTINUED}", [" one", " two"]),
        (MESSAGES[1:], {"few_shot_as": "message"}, ONE_MESSAGE, [" one", " two"]),
        (MESSAGES, {"system_message": "Hi."}, f"<s>system\nHi.\n\nBe brief.</s>\n{CONTINUED}", [" one", " two"]),
        ("one two", {}, OPENED, ["one", "two"]),
    ],
)
def test_contexts_are_written_with_the_template(tmp_path, saved, local, content, arguments, context, options):
    """What the assistant has begun is continued; otherwise options begin its turn, without their space."""
    sample = ranking_sample(input=content, continuations=[" one", " two"], gold=[0])
    log = ranked(saved, sample, tmp_path, chat_template=True, **arguments)
    [(_, expected)] = local.loglikelihoods([Request(context, options)])
    recorded = log.samples[0].output.metadata
    assert recorded["loglikelihoods"] == pytest.approx([each.loglikelihood for each in expected], abs=1e-4)
    assert recorded["tokens"] == [each.tokens for each in expected]


def test_unconditional_log_probabilities_have_no_chat(tmp_path, saved, local):
    sample = ranking_sample(input="one two", continuations=[" one", " two"], gold=[0])
    log = ranked(saved, sample, tmp_path, unconditional="", chat_template=True)
    [(_, expected)] = local.loglikelihoods([Request("", ["one", "two"])])
    recorded = log.samples[0].output.metadata
    assert recorded["unconditional"] == pytest.approx([each.loglikelihood for each in expected], abs=1e-4)


def test_a_tokenizer_without_a_template(save):
    with pytest.raises(UsageError) as caught:
        get_model(f"openbench-hf/{(folder := save(None))}", memoize=False, chat_template=True)
    assert str(caught.value) == (
        f"chat_template: the tokenizer of {folder} has none. Leave it out, or use a model that was trained on chats."
    )


def test_a_template_that_refuses_a_system_message(tmp_path, save):
    model = get_model(f"openbench-hf/{(folder := save(REFUSES_SYSTEM))}", memoize=False, chat_template=True)
    sample = ranking_sample(input=MESSAGES, continuations=[" one", " two"], gold=[0])
    [log] = inspect_eval(
        Task([sample], solver=rank(), scorer=ranking()), model=model, log_dir=str(tmp_path), display="none"
    )
    problem = f"chat_template: the template of {folder} refuses the chat: no system role. Leave out the system message"
    assert problem in log.error.message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"few_shot_as": "rows"}, "few_shot_as: expected turns or message, not 'rows'."),
        ({"system_message": 3}, "system_message: expected a text, not 3."),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(UsageError) as caught:
        Chat(**arguments)
    assert str(caught.value) == message


def test_a_cue_ends_the_users_message_for_a_server():
    turns = with_cue_asked(Chat("message").turns(MESSAGES))
    question = "Question: 1?\nAnswer: one\n\nQuestion: 2?\nAnswer:"
    assert turns == [{"role": "system", "content": "Be brief."}, {"role": "user", "content": question}]


def test_the_command_records_it(tmp_path, saved):
    """The options are arguments of the model, which a resumed run keeps and compares."""
    (tmp_path / "quiz.py").write_text(
        "from inspect_ai import Task, task\nfrom openbench_ranking.request import ranking_sample\n"
        "from openbench_ranking.scorer import ranking\nfrom openbench_ranking.solver import rank\n\n\n@task\n"
        "def quiz():\n    sample = ranking_sample(input='one', continuations=[' one', ' two'], gold=[0], id=1)\n"
        "    return Task([sample], solver=rank(), scorer=ranking())\n"
    )
    command = [Path(sys.executable).parent / "bench", "eval", "./quiz.py", "--model", f"openbench-hf/{saved}"]
    command += ["--log-dir", "logs", "--json"]

    def run(*options):
        return subprocess.run(
            [*command, *options],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )

    done = run("--chat-template", "--few-shot-as", "message", "--system-message", "Hi.")
    assert done.returncode == 0, done.stderr
    log = json.loads(Path(json.loads(done.stdout)[0]["log"]).read_text("utf-8"))
    expected = {"chat_template": True, "few_shot_as": "message", "system_message": "Hi."}
    assert log["eval"]["model_args"].items() >= expected.items()
    assert log["eval"]["metadata"]["openbench"]["identity"]["model_args"].items() >= expected.items()
    [folder] = (tmp_path / "logs" / "runs").iterdir()
    plain = run("--resume", str(folder))
    assert plain.returncode == 2, plain.stdout
    assert "model_args was {" in plain.stderr
    assert "'chat_template': True" in plain.stderr
