"""`bench eval --dry-run`: everything but the answers is known before a run, and no request is made."""

import math
import re
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.model import ChatMessageUser, ContentImage

from openbench_dryrun.tokens import messages_tokens, other_parts, text_tokens
from openbench_testing import ChatServer

HEAD = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, get_model
from inspect_ai.scorer import includes, model_graded_qa
from inspect_ai.solver import chain_of_thought, generate, multiple_choice, solver, system_message
from openbench_ranking.request import ranking_sample
from openbench_ranking.scorer import ranking
from openbench_ranking.solver import rank
from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("Made", "Made.", "acme", [], __name__, "made")
"""

# Sockets of this machine are refused as well: nothing may be connected to.
BLOCKED = """
import sys

def refuse(event, arguments):
    if event == "socket.connect" and isinstance(arguments[1], tuple) or event == "socket.getaddrinfo":
        raise OSError("no network")

sys.addaudithook(refuse)
"""


NOWHERE = "http://127.0.0.1:9/v1"


@pytest.fixture
def made(tmp_path, bench):
    """Run `bench eval made.py --dry-run --json` on a body of the task's module."""

    def run(body, *options, model="openai-api/local/m", code=0, **variables):
        (tmp_path / "made.py").write_text(HEAD + body, "utf-8")
        models = ["--model", model] if model else []
        variables = {"LOCAL_BASE_URL": NOWHERE, **variables}
        done = bench("eval", "made.py", *models, *options, "--dry-run", "--json", cwd=tmp_path, **variables)
        assert done.code == code, done.err
        (estimate,) = done.json()
        assert not (tmp_path / "logs").exists()
        return estimate

    return run


def local(server):
    return ["--model", "openai-api/local/m", "--model-base-url", server.base_url]


# --- no request is made ----------------------------------------------------------------------------------------------


def test_an_estimate_makes_no_request(bench, quiz):
    with ChatServer("Answer: A") as server:
        done = bench(
            *("eval", "quiz.py", *local(server), "-T", "level=hard", "--limit", "4", "--epochs", "2"),
            *("--temperature", "0.5", "--max-tokens", "100", "--price", "2,8", "--dry-run"),
            cwd=quiz,
        )
        assert server.requests == []
    assert (done.code, done.err) == (0, "No request was made to any model.\n")
    head, *lines = done.out.splitlines()
    assert head == "quiz on openai-api/local/m"
    facts = {line[:12].strip(): line[12:] for line in lines if line[:1].strip()}
    assert facts["samples"] == "4 of 6, 2 times each"
    assert facts["requests"] == "8"
    assert facts["settings"] == "max_tokens=100, temperature=0.5"
    assert facts["arguments"] == 'level="hard"'
    assert facts["answers"] == "at most 800 tokens, at most 100 each"
    assert facts["pin"] == "none: the source may change"
    prompts = int(facts["prompts"].removeprefix("about ").removesuffix(" tokens"))
    assert facts["cost"].startswith(f"prompts about {prompts * 2 / 1e6:.2g}, answers at most 0.0064 (2 and 8 per")
    start = lines.index("first request, of sample q0:")
    assert lines[start + 1 : start + 5] == ["  [system]", "  Level: hard", "  [user]", lines[start + 4]]
    assert lines[-3:] == ["  A) red", "  B) green", "  C) blue"]
    assert max(len(line) for line in lines[:start] if "/quiz.py" not in line and "rows.jsonl" not in line) <= 80
    assert not (quiz / "logs").exists()


def test_the_first_prompt_is_what_a_run_sends(bench, quiz):
    with ChatServer("Answer: A") as server:
        done = bench("eval", "quiz.py", *local(server), "-T", "level=hard", "--dry-run", "--json", cwd=quiz)
        first = done.json()[0]["first"]
        assert server.requests == []
        bench("eval", "quiz.py", *local(server), "-T", "level=hard", "--limit", "1", cwd=quiz)
        (sent,) = server.requests
    assert first["messages"] == [{"role": m["role"], "content": m["content"]} for m in sent.body["messages"]]


def test_the_network_is_not_needed(bench, quiz):
    (quiz / "blocked.py").write_text(BLOCKED + (quiz / "quiz.py").read_text("utf-8"), "utf-8")
    done = bench(
        *("eval", "blocked.py", "--model", "openai-api/local/m", "--model-base-url", NOWHERE),
        *("--dry-run", "--json"),
        cwd=quiz,
    )
    assert done.code == 0, done.err
    assert done.json()[0]["requests"] == 6
    assert done.json()[0]["first"]["messages"][-1]["content"].endswith("A) red\nB) green\nC) blue")


def test_a_server_that_is_down_is_a_run_s_trouble(bench, quiz):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    done = bench("eval", "quiz.py", "--model", "openai-api/local/m", "--model-base-url", address, "--dry-run", cwd=quiz)
    assert done.code == 0, done.err


def test_json_has_the_provider_and_the_provenance(bench, quiz, acme):
    done = bench("eval", "acme_quiz", "--baseline", "random", "--sample", "--dry-run", "--json", cwd=quiz, **acme)
    (estimate,) = done.json()
    provenance = estimate["provenance"]
    assert (provenance["distribution"], provenance["version"], provenance["rule"]) == ("acme-quiz", "2.1.0", "only")
    assert estimate["why"] == "no other distribution provides it"
    assert provenance["dataset"]["rows"] == 3
    assert (
        len(provenance["dataset"]["sha256"])
        == len(provenance["identity"]["dataset"])
        == len(provenance["prompt"])
        == 64
    )
    assert {"openbench-core", "inspect-ai"} <= {*provenance["versions"]}
    assert provenance["engine"]["name"] == "direct"
    assert (estimate["samples"], estimate["samples_of"], estimate["epochs"], estimate["requests"]) == (3, 3, 1, 3)
    assert (estimate["max_tokens"], estimate["output_tokens"], estimate["cost"]) == (None, None, None)


def test_keys_are_not_shown(bench, quiz):
    secret = "sk-" + "a1b2c3d4" * 4
    done = bench(
        *("eval", "quiz.py", "--model", "openai-api/local/m", "-M", f"api_key={secret}", "--dry-run", "--json"),
        cwd=quiz,
        LOCAL_BASE_URL=NOWHERE,
    )
    assert done.code == 0, done.err
    assert secret not in done.out + done.err


# --- every way to write a benchmark -----------------------------------------------------------------------------------


def test_solvers_write_the_prompt(made):
    estimate = made("""
@task
def made():
    samples = [Sample(id=n, input=f"Which {n}?", choices=["red", "green"], target="A") for n in range(3)]
    return Task(samples, solver=[system_message("Be right."), multiple_choice()], scorer=includes())
""")
    system, user = estimate["first"]["messages"]
    assert system == {"role": "system", "content": "Be right."}
    assert user["content"].endswith("Which 0?\n\nA) red\nB) green")
    assert (estimate["requests"], estimate["at_least"], estimate["first"]["sample"]) == (3, False, 0)


def test_a_solver_that_asks_a_model_of_its_own_is_stopped(made):
    with ChatServer("hello") as server:
        estimate = made(
            """
@solver
def own():
    async def solve(state, generate):
        try:
            await get_model(role="helper").generate("Help.")
        except Exception:
            pass
        await get_model().generate([ChatMessageUser(content="again")])
        return await generate(state)
    return solve

@task
def made():
    return Task([Sample("Question?", target="x")], solver=own(), scorer=includes())
""",
            *("--model-base-url", server.base_url, "--model-role", "helper=openai-api/local/helper"),
            LOCAL_BASE_URL=server.base_url,
        )
        assert server.requests == []
    assert estimate["first"]["messages"] == [{"role": "user", "content": "Help."}]
    assert (estimate["requests"], estimate["at_least"], estimate["output_tokens"]) == (1, True, None)


def test_agents_show_their_tools_and_may_ask_more(made):
    estimate = made("""
from inspect_ai.agent import react
from inspect_ai.tool import bash

@task
def made():
    return Task([Sample("Question?", target="x")], solver=react(tools=[bash()]), scorer=includes(), sandbox="docker")
""")
    assert estimate["first"]["tools"] == ["bash", "submit"]
    assert estimate["at_least"]


def test_a_prefill_is_the_start_of_the_answer(made):
    estimate = made("""
@task
def made():
    messages = [ChatMessageUser(content="Q"), ChatMessageAssistant(content="The answer is")]
    return Task([Sample(messages, target="x")], scorer=includes())
""")
    assert [message["role"] for message in estimate["first"]["messages"]] == ["user", "assistant"]


def test_ranked_options_are_counted(made):
    estimate = made(
        """
@task
def made():
    samples = [ranking_sample(input=f"{n}?", continuations=[" a", " b", " c"][: n + 2], gold=[0]) for n in range(2)]
    return Task(samples, solver=[system_message("Be right."), rank()], scorer=ranking())
""",
        *("--baseline", "random", "--epochs", "2"),
        model=None,
    )
    assert (estimate["requests"], estimate["continuations"], estimate["output_tokens"]) == (4, 10, 0)
    assert estimate["first"]["continuations"] == [" a", " b"]
    assert [message["content"] for message in estimate["first"]["messages"]] == ["Be right.", "0?"]


def test_a_reference_asks_nothing(bench, quiz):
    done = bench("eval", "quiz.py", "--baseline", "reference", "--dry-run", "--price", "1,1", cwd=quiz)
    assert "requests    0\n" in done.out
    assert done.out.endswith("first request: none\n")
    assert "cost        prompts about 0.00, answers at most 0.00 (" in done.out


def test_graders_are_counted_apart(made):
    body = """
@task
def made():
    return Task([Sample("Q", target="x")] * 1, scorer=model_graded_qa())
"""
    role = ["--model-role", "grader=openai-api/local/judge", "--epochs", "3"]
    assert made(body, *role)["graders"] == {"openai-api/local/judge": 3}
    assert made(body)["graders"] == {"openai-api/local/m": 1}
    assert made(body, "--no-score")["graders"] == {}


def test_a_scorer_that_takes_its_grader_while_the_task_is_built(made):
    with ChatServer("yes") as grader:
        estimate = made(
            """
from inspect_ai.scorer import Score, accuracy, scorer

@scorer(metrics=[accuracy()])
def graded():
    grader = get_model(role="grader", default="baseline/echo")

    async def score(state, target):
        return Score(value=(await grader.generate("Is it right?")).completion == "yes")

    return score

@task
def made():
    return Task([Sample(f"{n}?", target="x", id=n) for n in range(4)], scorer=graded())
""",
            *("--model-role", "grader=openai-api/judge/g"),
            JUDGE_API_KEY="x",
            JUDGE_BASE_URL=grader.base_url,
        )
        assert (estimate["samples"], grader.requests) == (4, [])


# --- what is wrong ----------------------------------------------------------------------------------------------------


def test_a_solver_that_fails_before_its_request(made):
    estimate = made(
        """
@solver
def broken():
    async def solve(state, generate):
        raise ValueError("no such template")
    return solve

@task
def made():
    return Task([Sample("Q", target="x")], solver=broken(), scorer=includes())
""",
        code=1,
    )
    assert estimate["problem"] == "made: ValueError: no such template (made.py, line 17)"
    assert (estimate["requests"], estimate["prompt_tokens"], estimate["first"]) == (None, None, None)


def test_an_error_of_pydantic_is_shown_without_its_links(made):
    estimate = made(
        """
from inspect_ai.scorer import Score

@solver
def broken():
    async def solve(state, generate):
        Score(value=1, answer=7)
    return solve

@task
def made():
    return Task([Sample("Q", target="x")], solver=broken(), scorer=includes())
""",
        code=1,
    )
    assert "1 validation error for Score: answer: Input should be a valid string" in estimate["problem"]
    assert "For further" not in estimate["problem"]


def test_hostile_texts_do_not_control_the_terminal(bench, tmp_path):
    hostile = "\x1b]0;owned\x07\x1b[2J\x9b1A\u202eend\rover"
    body = f"""
@task
def made():
    return Task([Sample(id="id" + {hostile!r}, input="?" + {hostile!r}, target="A")], scorer=includes())
"""
    (tmp_path / "made.py").write_text(HEAD.replace('"Made."', repr(hostile)) + body, "utf-8")
    done = bench("eval", "made.py", "--baseline", "random", "--dry-run", cwd=tmp_path)
    assert done.code == 0, done.err
    assert not re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", done.out + done.err)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--model", "nothing/m"], "nothing/m: the provider 'nothing' is unknown."),
        (["--baseline", "random", "--limit", "9,12"], "quiz: --limit 9,12 selects none of its 6 samples."),
        (["--baseline", "random", "--price", "2"], "--price '2': expected the prices of a million tokens"),
        (["--baseline", "random", "--log-dir", "quiz.py"], "the log directory quiz.py cannot be written: Not a dir"),
    ],
)
def test_wrong_use_is_what_it_is_for_a_run(bench, quiz, options, message):
    done = bench("eval", "quiz.py", *options, "--dry-run", cwd=quiz)
    assert done.code == 2
    assert done.err.startswith(f"bench: {message}")
    assert done.out == ""


# --- prices -----------------------------------------------------------------------------------------------------------


def test_prices_of_the_project(bench, quiz):
    table = '[tool.openbench.prices]\n"openai-api/local/m" = { input = 1000000, output = 2 }\n'
    (quiz / "openbench.toml").write_text(table, "utf-8")
    models = ["--model", "openai-api/local/m", "--model", "openai-api/local/n", "--model-base-url", NOWHERE]
    done = bench("eval", "quiz.py", *models, "--max-tokens", "50", "--dry-run", "--json", cwd=quiz)
    known, unknown = done.json()
    assert known["cost"] == {"prompts": known["prompt_tokens"], "output_most": 6 * 50 * 2 / 1e6}
    assert (unknown["price"], unknown["cost"]) == (None, None)
    done = bench("eval", "quiz.py", *models, "--dry-run", cwd=quiz)
    assert "cost        unknown: no price (--price, or [tool.openbench.prices])\n" in done.out
    assert done.out.endswith("total       2 runs, 12 requests; cost of prompts unknown, of answers unknown\n")
    (quiz / "openbench.toml").write_text('[tool.openbench.prices]\n"a/b" = 3\n', "utf-8")
    done = bench("eval", "quiz.py", *models, "--dry-run", cwd=quiz)
    expected = 'expected the prices of a million tokens, such as "openai/gpt-4.1" = { input = 2, output = 8 }.'
    assert done.err == f"bench: {quiz}/openbench.toml: [tool.openbench.prices] has 3 for a/b; {expected}\n"
    assert done.code == 2


# --- tokens -----------------------------------------------------------------------------------------------------------


@given(st.text(), st.text())
def test_tokens_add_up(one, other):
    assert math.isclose(text_tokens(one + other), text_tokens(one) + text_tokens(other), abs_tol=1e-6)
    assert 0 <= text_tokens(one) <= 1.1 * len(one)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The quick brown fox jumps over the lazy dog.", 10),
        ("Съешь же ещё этих мягких французских булок, да выпей чаю.", 16),
        ("いろはにほへと ちりぬるを わかよたれそ つねならむ", 17),
        ("def add(a, b):\n    return a + b\n", 11),
    ],
)
def test_tokens_of_scripts(text, tokens):
    assert text_tokens(text) == pytest.approx(tokens, rel=0.35)


def test_images_are_counted_apart():
    messages = [ChatMessageUser(content=[ContentImage(image="data:image/png;base64,AAAA")])]
    assert other_parts(messages) == 1
    assert messages_tokens(messages) == messages_tokens([ChatMessageUser(content="")])


def test_a_large_dataset_is_estimated_from_a_few_samples(made):
    estimate = made("""
@task
def made():
    samples = [Sample(id=n, input="word " * (1 + n % 7)) for n in range(500)]
    return Task(samples, solver=[system_message("Be brief."), generate()], scorer=includes())
""")
    each = messages_tokens([ChatMessageUser(content="")]) * 2 + text_tokens("Be brief.")
    questions = sum(text_tokens("word " * (1 + n % 7)) for n in range(500))
    # What solvers add is known exactly here, since it is the same for each sample.
    assert estimate["prompt_tokens"] == pytest.approx(500 * each + questions, abs=1)


def test_tokens_that_the_benchmark_counted_and_long_prompts(made, bench, tmp_path):
    body = """
@task
def made():
    samples = [Sample("word " * 10_000 + "?", metadata={"prompt_tokens": 12_345}) for _ in range(2)]
    return Task(dataset=samples, solver=[system_message("Read."), generate()])
"""
    system = round(messages_tokens([ChatMessageUser(content="Read.")]))
    assert made(body)["prompt_tokens"] == pytest.approx(2 * (12_345 + system), abs=2)
    shown = bench("eval", "made.py", "--model", "mockllm/model", "--dry-run", cwd=tmp_path)
    assert "\n  … 42,001 characters …\n" in shown.out, shown.err
    assert shown.out.rstrip().endswith("word ?")
