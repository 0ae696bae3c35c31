"""No secret in what is kept: of many shapes, planted in every place that a user can put one, and searched for after."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inspect_ai.log import EvalError, EvalSample, read_eval_log

from openbench.redaction import (
    REDACTED,
    is_secret_name,
    redacted,
    redacted_command,
    redacted_name,
    redacted_text,
)
from openbench.run.log_redaction import redacted_error, sample_json
from openbench_testing import ChatServer


@pytest.fixture(autouse=True)
def _nothing_remembered(monkeypatch):
    """A process remembers what it has taken out."""
    monkeypatch.setattr("openbench.redaction._remembered", set())


# --- by name --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        *(
            "api_key",
            "api-key",
            "apiKey",
            "APIKEY",
            "x-api-key",
            "OPENAI_API_KEY",
            "aws_secret_access_key",
            "key_secret",
        ),
        *("token", "hf_token", "access_token", "password", "passwd", "PGPASSWORD", "db_pwd"),
        "Authorization",
        *("proxy_authorization", "bearer", "cookie", "Set-Cookie", "client_secret", "credentials", "private_key"),
        *("db_pass", "OPENAI_KEY", "openrouter_key", "hfKey", "creds", "db_creds", "slack_webhook", "webhook_url"),
        *("X-Amz-Signature", "sig", "passphrase", "account_key", "sessionKey"),
    ],
)
def test_names_of_secrets(name):
    assert is_secret_name(name)
    assert redacted({name: "v4lue-of-it"}) == {name: REDACTED}


@pytest.mark.parametrize(
    "name",
    [
        *("max_tokens", "eos_token", "pad_token", "token_limit", "tokens", "tokenizer", "key", "group_keys", "keyword"),
        *("answer_key", "primary_key", "pass", "pass_at_k", "first_pass", "compass", "creditor"),
        *("author", "authority", "secretary", "monkey", "turnkey", "sort_key", "patience", "signal", "cookiecutter"),
    ],
)
def test_names_of_none(name):
    assert not is_secret_name(name)
    assert redacted({name: "a value"}) == {name: "a value"}


def test_data_keeps_its_form():
    given = {
        "timeout": 5,
        "stream": True,
        "api_key": None,
        "default_headers": {"Authorization": "Bearer one-two-3", "X-Team": "blue"},
        "proxies": ["http://user:pa55word@proxy:8080/x", "http://proxy"],
        "nested": {"client": {"password": 1234567, "retries": 2}},
        "env": {"HOME": "/root", "NAME": "x"},
    }
    assert redacted(given) == {
        "timeout": 5,
        "stream": True,
        "api_key": None,
        "default_headers": {"Authorization": REDACTED, "X-Team": REDACTED},
        "proxies": [f"http://{REDACTED}@proxy:8080/x", "http://proxy"],
        "nested": {"client": {"password": REDACTED, "retries": 2}},
        "env": {"HOME": REDACTED, "NAME": REDACTED},
    }


def test_prose_is_left_alone():
    template = "The secret: {answer}.\nSay password: x, then token=y."
    assert redacted({"template": template}) == {"template": template}


def test_a_key_of_data_is_no_secret():
    given = {"group_by_key": "topic", "vendor_key": "k3y-of-them", "openrouter_key": "words"}
    assert redacted(given) == {"group_by_key": "topic", "vendor_key": REDACTED, "openrouter_key": REDACTED}
    assert redacted_command(["-T", "group_by_key=topic", "-T", "db_pass=swordfish"]) == [
        *("-T", "group_by_key=topic"),
        *("-T", f"db_pass={REDACTED}"),
    ]


SHAPES = {
    "a bearer": ("Bearer planted.abc-123", f"Bearer {REDACTED}"),
    "a Slack webhook": (
        "https://hooks.slack.com/services/T0AB12/B0CD34/planted5",
        f"https://hooks.slack.com/{REDACTED}",
    ),
    "a query's key": ("https://h/v1?n=1&vendor_key=planted-1", f"https://h/v1?n=1&vendor_key={REDACTED}"),
    "an AWS key": ("AKIAABCDEFGHIJKLMNO1", REDACTED),
    "a Stripe key": ("sk_live_" + "a1" * 12, REDACTED),
    "a GitLab token": ("glrt-" + "a1" * 10, REDACTED),
}


@pytest.mark.parametrize("kind", SHAPES)
def test_secrets_by_their_form_in_arguments_prose_and_messages(kind):
    text, shown = SHAPES[kind]
    assert redacted({"note": text}) == {"note": shown}
    assert redacted({"note": f"please use {text} for it"}) == {"note": f"please use {shown} for it"}
    assert redacted_command(["-T", f"note=please use {text} now"]) == ["-T", f"note=please use {shown} now"]
    assert redacted_text(f"refused: {text}, says the server").startswith(f"refused: {shown}")


HEX = st.text("0123456789abcdef", min_size=40, max_size=40) | st.text("0123456789abcdef", min_size=64, max_size=64)
IDS = st.uuids().map(str) | st.text(
    "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", min_size=22, max_size=22
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
@given(HEX | IDS | st.integers().map(str))
def test_pins_digests_and_ids_are_never_taken_out(value):
    names = ("revision", "sha256", "digest", "id", "eval_id", "run_id", "sample_id", "log", "seed", "commit")
    data = dict.fromkeys(names, value)
    assert redacted(data) == data
    assert redacted({"nested": [data], "note": f"at {value}, of {value}"}) == {
        "nested": [data],
        "note": f"at {value}, of {value}",
    }
    command = [part for name in names for part in ("-T", f"{name}={value}")]
    assert redacted_command(command) == command
    for text in (
        f"org/quiz at {value} cannot be loaded",
        f"logs/2026_{value}.eval",
        f"sample '{value}': sha256:{value}",
    ):
        assert redacted_text(text) == text
    assert redacted_name(f"quiz@acme=={value}") == f"quiz@acme=={value}"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see https://bob:planted-1@db/x please", f"see https://{REDACTED}@db/x please"),
        ("the key is sk-planted1234567890abcdef here", f"the key is {REDACTED} here"),
        ("host=db user=bob password=planted-2", f"host=db user=bob password={REDACTED}"),
        ("Driver={SQL Server};UID=bob;PWD=planted-3;", f"Driver={{SQL Server}};UID=bob;PWD={REDACTED};"),
    ],
)
def test_certain_forms_are_taken_out_of_prose_too(text, shown):
    assert redacted({"note": text}) == {"note": shown}
    assert redacted_command(["-T", f"note={text}"]) == ["-T", f"note={shown}"]


def test_the_fields_of_an_answer_are_no_secrets():
    schema = {"json_schema": {"properties": {"password": {"type": "string", "description": "What to choose."}}}}
    assert redacted({"response_schema": schema, **schema}) == {"response_schema": schema, **schema}


def test_versions_of_distributions_are_no_secrets():
    assert redacted({"versions": {"google-auth": "2.0", "tokenizers": "1"}}) == {
        "versions": {"google-auth": "2.0", "tokenizers": "1"}
    }


# --- by form --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("http://u:p@h/v1", "http://[redacted]@h/v1"),
        ("cannot reach https://tok3n@h:80.", "cannot reach https://[redacted]@h:80."),
        ("http://u:p@ss@h/", "http://[redacted]@h/"),
        ("http://h/v1?api_key=abc&n=1", "http://h/v1?api_key=[redacted]&n=1"),
        ("http://h/v1?key=abc#access_token=xyz", "http://h/v1?key=[redacted]#access_token=[redacted]"),
        ("sent Bearer abcdefgh12345678 to it", "sent Bearer [redacted] to it"),
        ("password=hunter2; n=1", "password=[redacted]; n=1"),
        ("sk-proj-abcdefghij0123456789 is wrong", "[redacted] is wrong"),
        ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "[redacted]"),
        ("hf_abcdefghijklmnopqrstuvwxyz", "[redacted]"),
        ("AKIAABCDEFGHIJKLMNOP", "[redacted]"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "[redacted]"),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\n", "[redacted]\n"),
    ],
)
def test_forms(text, shown):
    assert redacted_text(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "Unexpected token: ']' at line 3",
        "ValueError: invalid signature: (a, b)",
        "basic arithmetic fails",
        "row 17 of openai/simpleqa has no 'answer' (columns: problem, metadata)",
        "max_tokens=5 is too few: see https://example.com/docs?page=2#top",
        "write to a@b.example",
        "",
    ],
)
def test_messages_without_secrets_stay_as_they_are(text):
    assert redacted_text(text) == text


def test_command_lines():
    given = [
        "bench",
        "eval",
        "quiz",
        "-M",
        "api_key=k1",
        "-Mtoken=k2",
        "--password",
        "k3",
        "--model-base-url=http://a:b@h",
    ]
    given += ["-M", 'default_headers={"A": "k4 k5"}', "-T", "prompt=Say password: x"]
    shown = ["bench", "eval", "quiz", "-M", "api_key=[redacted]", "-Mtoken=[redacted]", "--password", "[redacted]"]
    shown += ["--model-base-url=http://[redacted]@h", "-M", "default_headers=[redacted]"]
    assert redacted_command(given) == [*shown, "-T", "prompt=Say password: x"]


# --- by value -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("placeholder", ["ollama", "lm-studio", "not-needed"])
def test_a_placeholder_is_no_secret_elsewhere(monkeypatch, placeholder):
    """A server that asks for no key is often given a word, which texts use for what it means."""
    monkeypatch.setenv("LOCAL_API_KEY", placeholder)
    assert redacted({"api_key": placeholder}) == {"api_key": REDACTED}
    assert redacted_text(f"openai-api/{placeholder}/m is not found") == f"openai-api/{placeholder}/m is not found"


def test_names_and_addresses_keep_known_values():
    """A run is found again by them."""
    redacted({"api_key": "local-12"})
    assert redacted_text("the key local-12 is wrong") == f"the key {REDACTED} is wrong"
    kept = {"model": "openai-api/local-12/m", "base_url": "http://local-12:80/v1", "benchmark": "/x/local-12/quiz.py"}
    assert redacted(kept) == kept
    command = ["bench", "eval", "--model", "openai-api/local-12/m", "--model-base-url", "http://local-12:80/v1"]
    assert redacted_command(command) == command
    assert redacted({"model_roles": {"auth": kept}}) == {"model_roles": {"auth": kept}}


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://bob:planted-1@h:80/v1", "http://[redacted]@h:80/v1"),
        ("http://h/v1?api_key=planted-1&n=1", "http://h/v1?api_key=[redacted]&n=1"),
        ("http://h/sk-planted1234567890abcdef", "http://h/[redacted]"),
    ],
)
def test_names_and_addresses_lose_credentials(address, shown):
    assert redacted_name(address) == shown
    assert redacted({"base_url": address}) == {"base_url": shown}


@pytest.mark.parametrize(
    ("name", "value", "hidden"),
    [
        ("AWS_SECRET_ACCESS_KEY", "/planted-aws-1a2b3c4d", True),
        ("HOOK_SECRET", "https://h/planted-9", True),
        ("ACME_TOKEN", 'a"quote\\and more', True),
        ("ACME_TOKEN", "bytes-\udcff-1a2b", True),
        ("SSH_AUTH_SOCK", "/no/such/agent.1", False),
        ("HF_TOKEN_PATH", "/no/such/token", False),
        ("DB_PASSWORD_FILE", "/run/no-such-secret", False),
        ("ACME_CREDENTIALS", __file__, False),
        ("KEYCLOAK_AUTH_HOST", "localhost", False),
        ("OAUTH_TOKEN_URL", "https://login.acme.example/token", False),
    ],
)
def test_which_variables_are_secrets(monkeypatch, name, value, hidden):
    monkeypatch.setenv(name, value)
    assert redacted_text(f"<{value}>") == (f"<{REDACTED}>" if hidden else f"<{value}>")
    assert redacted_text(repr([value])) == (f"['{REDACTED}']" if hidden else f"['{value}']")


def test_a_coloured_traceback_hides_nothing(monkeypatch):
    monkeypatch.setenv("ACME_SECRET", "/planted-1a2b3c4d")
    coloured = "\x1b[35m/\x1b[0m\x1b[95mplanted-1a2b3c4d\x1b[0m"
    found = redacted_error(
        EvalError(message="/planted-1a2b3c4d", traceback="at /planted-1a2b3c4d", traceback_ansi=coloured)
    )
    assert found == EvalError(message=REDACTED, traceback=f"at {REDACTED}", traceback_ansi=f"at {REDACTED}")
    other = EvalError(message="no", traceback="at no", traceback_ansi="at \x1b[35mno")
    assert redacted_error(other) == other


def test_the_value_of_a_secret_is_nowhere_in_a_sample(monkeypatch):
    monkeypatch.setenv("ACME_SECRET", 'planted"1a2b')
    sample = EvalSample(id=1, epoch=1, input='Is it planted"1a2b?', target="A", metadata={"at": "http://u:p@h"})
    read = EvalSample.model_validate_json(sample_json(sample))
    assert (read.input, read.metadata) == (f"Is it {REDACTED}?", {"at": "http://u:p@h"})
    assert sample.input == 'Is it planted"1a2b?'


def test_values_of_variables(monkeypatch):
    monkeypatch.setenv("ACME_API_KEY", "zebra-crossing")
    monkeypatch.setenv("ACME_COLOUR", "aquamarine")
    monkeypatch.setenv("HTTP_PROXY", "http://me:pr0xy-pass@proxy")
    text = "it echoes zebra-crossing, aquamarine and pr0xy-pass"
    assert redacted_text(text) == f"it echoes {REDACTED}, aquamarine and {REDACTED}"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(st.text(st.characters(codec="ascii", exclude_categories=["Cc", "Zs"]), min_size=12, max_size=40))
def test_what_was_taken_out_by_name_is_taken_out_of_texts(secret):
    secret = f"s3{secret}"
    redacted({"api_key": secret})
    assert secret not in redacted_text(f"the server said that <{secret}> is wrong")


# --- in a run -------------------------------------------------------------------------------------------------------

PLANTED = {
    "a variable": "planted-variable-1a2b",
    "-M by name": "planted-argument-3c4d",
    "a header": "planted-header-5e6f",
    "another header": "planted-team-7a8b",
    "an address": "planted-address-9c0d",
    "an address of a task": "planted-rows-3a4b",
}
BREAKS = """
import os

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes
from inspect_ai.solver import chain, generate, solver
from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("Breaks", "One of two breaks.", "acme", [], __name__, "breaks")

@solver
def breaking():
    async def solve(state, generate):
        if state.sample_id == 1:
            raise RuntimeError(f"{os.environ['ACME_TOKEN']} and http://u:planted-address-9c0d@h are refused")
        return state

    return solve


@task
def breaks(service_password: str = "", rows: str = "") -> Task:
    samples = [Sample(id=n, input=f"Is {service_password} {n}?", target="A") for n in range(2)]
    return Task(dataset=samples, solver=chain(breaking(), generate()), scorer=includes())
"""


@pytest.mark.parametrize("engine", ["inspect", "auto"])
@pytest.mark.parametrize("suffix", ["eval", "json"])
def test_planted_secrets_are_nowhere(bench, tmp_path, engine, suffix):
    (tmp_path / "breaks.py").write_text(BREAKS, "utf-8")
    variables = {"ACME_TOKEN": PLANTED["a variable"], "LOCAL_API_KEY": PLANTED["a variable"]}
    headers = {"Authorization": f"Bearer {PLANTED['a header']}", "X-Team": PLANTED["another header"]}
    rows = f"rows=http://u:{PLANTED['an address of a task']}@h/x"
    with ChatServer("A") as server:
        address = server.base_url.replace("://", f"://user:{PLANTED['an address']}@")
        done = bench(
            *("eval", "breaks.py", "--model", "openai-api/local/m", "--model-base-url", address, "--engine", engine),
            *("-M", f"default_headers={json.dumps(headers)}", "-T", rows),
            *("-M", f"api_key={PLANTED['-M by name']}"),
            *("-T", "service_password=plain-prompt-text", "--no-fail-on-error", "--log-format", suffix),
            cwd=tmp_path,
            **variables,
        )
        requests = server.requests
    logs = sorted(path for path in (tmp_path / "logs").rglob("*") if path.is_file())
    assert [path for path in logs if path.suffix == f".{suffix}"], done.err
    for path in logs:
        for content in _contents(path):
            for place, secret in PLANTED.items():
                assert secret.encode() not in content, (place, path)
    for secret in PLANTED.values():
        assert secret not in done.out + done.err
    # the prompt is what it was, though an argument of this name is a secret
    assert requests[0].prompt == "Is plain-prompt-text 0?"
    assert any(b"Is [redacted] 0?" in content for path in logs for content in _contents(path))


TELLS = """
import logging

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import chain, generate, solver
from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("Tells", "Tells all.", "acme", [], __name__, "tells")

@solver
def telling(address: str, service_key: str):
    async def solve(state, generate):
        logging.getLogger("acme").warning(f"it is {service_key}, " + 100 * "x")
        return await generate(state)

    return solve


@task
def tells() -> Task:
    own = "http://u:planted-own-5e6f@h/v1"
    judge = get_model("openai-api/local/j", base_url=own, default_headers={"X-Auth-Token": "planted-header-7a8b"})
    return Task(
        dataset=[Sample(id=n, input="The api_key=prompt-stays?", target="A") for n in range(2)],
        solver=telling("http://u:planted-step-9c0d@h/", "planted-key-1e2f"),
        scorer=includes(),
        model_roles={"judge": judge, "auth": judge},
        config=GenerateConfig(extra_headers={"X-Acme-Key": "planted-sent-3a4b"}, extra_body={"token": "planted-b-5c6"}),
        metadata={"api_key": "planted-said-7e8f", "home": "http://u:planted-home-9a0b@h/", "tier": "gold"},
    )
"""


@pytest.mark.parametrize("more", [("inspect",), ("inspect", "--processes", "2"), ("auto",)], ids=" ".join)
@pytest.mark.parametrize("suffix", ["eval", "json"])
def test_secrets_of_roles_and_of_log_lines_are_nowhere(bench, tmp_path, more, suffix):
    (tmp_path / "tells.py").write_text(TELLS, "utf-8")
    with ChatServer("A") as server:
        address = server.base_url.replace("://", "://bob:planted-role-3a4b@")
        done = bench(
            *("eval", "tells.py", "--model", "openai-api/local/m", "--model-role", "grader=openai-api/local/g"),
            *("--engine", *more, "--log-format", suffix),
            cwd=tmp_path,
            LOCAL_BASE_URL=address,
        )
    assert done.code == 0, done.err
    files = [path for path in (tmp_path / "logs").rglob("*") if path.is_file()]
    [log] = (path for path in files if path.suffix == f".{suffix}")
    for path in files:
        for content in _contents(path):
            assert b"planted-" not in content, (path, content[content.index(b"planted-") - 200 :][:300])
    read = read_eval_log(str(log))
    assert read.eval.metadata["tier"] == "gold"
    assert read.metadata.keys() == {"api_key", "home", "tier", "openbench"}
    assert read.eval.model_roles["auth"].base_url == f"http://{REDACTED}@h/v1"
    assert [sample.input for sample in read.samples] == ["The api_key=prompt-stays?"] * 2
    assert "planted-" not in done.out + done.err


ASKS = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import includes
from inspect_ai.solver import generate
from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("Asks", "Adds to requests.", "acme", [], __name__, "asks")


@task
def asks(dsn: str = "") -> Task:
    added = GenerateConfig(extra_headers={"X-Acme-Key": "planted-sent-3a4b"}, extra_body={"api_key": "planted-b-5c6d"})
    return Task(
        dataset=[Sample(input="Which?", target="A")],
        solver=generate(),
        scorer=includes(),
        config=added,
        metadata={"api_key": "planted-said-7e8f"},
    )
"""


def test_what_the_direct_engine_sends_and_a_run_that_goes_on(bench, tmp_path):
    (tmp_path / "asks.py").write_text(ASKS, "utf-8")
    with ChatServer("A") as server:
        options = ("--model", "openai-api/ollama/m", "--model-base-url", server.base_url, "-M", "api_key=ollama")
        dsn = "dsn=host=db password=planted-dsn-1a2b"
        done = bench("eval", "asks.py", *options, "-T", dsn, "--engine", "direct", "--log-format", "json", cwd=tmp_path)
        assert done.code == 0, done.err
        assert server.requests[0].headers["x-acme-key"] == "planted-sent-3a4b"
        [log] = (tmp_path / "logs").glob("*.json")
        shown = bench("log", "show", log, "--json", cwd=tmp_path)
        plain = ("eval", "asks.py", *options, "--log-dir", "other")
        assert bench(*plain, cwd=tmp_path).code == 0
        [run] = (tmp_path / "other" / "runs").iterdir()
        again = bench("eval", "--resume", run, cwd=tmp_path, OLLAMA_API_KEY="x")
    assert (again.code, "complete" in again.err) == (0, True), again.err
    for path in filter(Path.is_file, (tmp_path / "logs").rglob("*")):
        assert b"planted-" not in path.read_bytes(), path
    assert "planted-" not in done.out + done.err + shown.out
    assert shown.json()["openbench"]["plan"]["jobs"][0]["model"] == {
        "name": "openai-api/ollama/m",
        "base_url": server.base_url,
        "args": {"api_key": REDACTED},
    }


@pytest.mark.parametrize("engine", ["inspect", "direct"])
def test_traces_are_for_their_user_alone(bench, quiz, engine):
    traces = quiz / "data" / "inspect_ai" / "traces"
    traces.mkdir(parents=True)
    (traces / "trace-1.log").write_text("http://user:planted@h/")
    with ChatServer("Answer: A") as server:
        done = bench(
            *("eval", "quiz.py", "--model", "openai-api/local/m", "--model-base-url", server.base_url),
            *("--engine", engine),
            cwd=quiz,
            XDG_DATA_HOME=str(quiz / "data"),
        )
    assert done.code == 0, done.err
    assert traces.stat().st_mode & 0o777 == 0o700
    assert (traces / "trace-1.log").stat().st_mode & 0o777 == 0o600


def _contents(path: Path) -> list[bytes]:
    """Return what is in a file; of an archive of compressed parts, what they hold."""
    whole = [read_eval_log(str(path)).model_dump_json().encode()] if path.suffix == ".eval" else []
    return [path.read_bytes(), *whole]
