"""No secret in what is kept: of many shapes, planted in every place that a user can put one, and searched for after."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inspect_ai.log import read_eval_log

from openbench.redaction import REDACTED, is_secret_name, redacted, redacted_command, redacted_text
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
    template = "The secret: {answer}.\nSay password: x, then token=y. https://user:pass@example.com is an address."
    assert redacted({"template": template}) == {"template": template}


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
        ("401: Incorrect API key provided: abcdefgh1.", "401: Incorrect API key provided: [redacted]"),
        ("{'Authorization': 'Bearer abc'}", "{'Authorization': '[redacted]'}"),
        ('{"api_key": "a\\"b", "n": 1}', '{"api_key": "[redacted]", "n": 1}'),
        ("Authorization: Basic dXNlcjpwYXNz", "Authorization: [redacted]"),
        ("sent Bearer abcdefgh12345678 to it", "sent Bearer [redacted] to it"),
        ("password=hunter2, n=1", "password=[redacted], n=1"),
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
    given += ["-M", 'default_headers={"A": "k4 k5"}', "-M", 'client={"auth": "k6"}', "-T", "prompt=Say password: x"]
    shown = ["bench", "eval", "quiz", "-M", "api_key=[redacted]", "-Mtoken=[redacted]", "--password", "[redacted]"]
    shown += ["--model-base-url=http://[redacted]@h", "-M", "default_headers=[redacted]"]
    assert redacted_command(given) == [*shown, "-M", 'client={"auth": "[redacted]"}', "-T", "prompt=Say password: x"]


# --- by value -------------------------------------------------------------------------------------------------------


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
    assert any(b"Is plain-prompt-text 0?" in content for path in logs for content in _contents(path))


TELLS = """
import logging

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import chain, generate, solver
from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("Tells", "Tells all.", "acme", [], __name__, "tells")

@solver
def telling(address: str, service_key: str):
    async def solve(state, generate):
        logging.getLogger("acme").warning("api_key=planted-line-1a2b at http://u:planted-url-3c4d@h/ " + 100 * "x")
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
    assert read.eval.model_roles["auth"].base_url == f"http://{REDACTED}@h/v1"
    assert [sample.input for sample in read.samples] == ["The api_key=prompt-stays?"] * 2
    assert "planted-" not in done.out + done.err


def _contents(path: Path) -> list[bytes]:
    """Return what is in a file; of an archive of compressed parts, what they hold."""
    whole = [read_eval_log(str(path)).model_dump_json().encode()] if path.suffix == ".eval" else []
    return [path.read_bytes(), *whole]
