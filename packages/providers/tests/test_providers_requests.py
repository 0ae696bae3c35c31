"""Tests of every provider of the table with a local server, through Inspect's `Model.generate`."""

from urllib.parse import urlsplit

import pytest
from inspect_ai.model import GenerateConfig, get_model

from openbench.errors import UsageError
from openbench_providers.table import PROVIDERS

BY_NAME = {provider.name: provider for provider in PROVIDERS}
OPEN = [provider for provider in PROVIDERS if not provider.closed]
MODEL = "org/some-Model.1"


def named(provider):
    return provider.name


@pytest.mark.parametrize("provider", PROVIDERS, ids=named)
def test_a_request_has_the_providers_path_key_and_headers(provider, ask, monkeypatch, serve):
    monkeypatch.setenv(provider.keys[0], "sk-test")
    monkeypatch.setenv("WANDB_ENTITY", "acme")
    monkeypatch.setenv("WANDB_PROJECT", "evals")
    monkeypatch.setenv("FRIENDLI_TEAM", "team-1")
    path = urlsplit(provider.base_url).path
    with serve("four") as server:
        monkeypatch.setenv(provider.address_variable, server.address + path)
        output = ask(f"{provider.name}/{MODEL}", "2 + 2?", config=GenerateConfig(temperature=0, max_tokens=7))
        [request] = server.requests
    assert output.completion == "four"
    assert output.usage.output_tokens == 1
    assert server.paths == [f"{path}/chat/completions"]
    assert request.headers["authorization"] == "Bearer sk-test"
    assert (request.model, request.prompt) == (MODEL, "2 + 2?")
    assert (request.body["temperature"], request.body["max_tokens"]) == (0, 7)
    sent = {name: request.headers[name] for name in ("openai-project", "x-friendli-team") if name in request.headers}
    headers = {"wandb": {"openai-project": "acme/evals"}, "friendli": {"x-friendli-team": "team-1"}}
    assert sent == headers.get(provider.name, {})


@pytest.mark.parametrize("provider", OPEN, ids=named)
def test_the_address_is_the_providers_unless_another_is_given(provider, monkeypatch):
    monkeypatch.setenv(provider.keys[-1], "sk-test")  # any of the variables suffices
    model = f"{provider.name}/{MODEL}"
    assert get_model(model, memoize=False).api.base_url == provider.base_url
    monkeypatch.setenv("INSPECT_EVAL_MODEL_BASE_URL", "http://any.test/v1")
    assert get_model(model, memoize=False).api.base_url == "http://any.test/v1"
    monkeypatch.setenv(f"{provider.name.upper()}_BASE_URL", "http://own.test/v1")
    assert get_model(model, memoize=False).api.base_url == "http://own.test/v1"
    assert get_model(model, memoize=False, base_url="http://given.test").api.base_url == "http://given.test"


@pytest.mark.parametrize("provider", OPEN, ids=named)
def test_a_missing_key_names_the_variables(provider, monkeypatch):
    monkeypatch.setenv(provider.keys[0], "")
    with pytest.raises(UsageError) as error:
        get_model(f"{provider.name}/m", memoize=False)
    assert str(error.value) == f"{provider.name}/m: no API key is set. Set {' or '.join(provider.keys)}."


def test_the_first_variable_that_is_set_provides_the_key(ask, monkeypatch, serve):
    monkeypatch.setenv("VERCEL_OIDC_TOKEN", "of-the-deployment")
    monkeypatch.setenv("AI_GATEWAY_API_KEY", "of-the-user")
    with serve(api_key="of-the-user") as server:
        assert ask("vercel/openai/gpt-4.1", base_url=server.base_url).completion == "Answer: A"
    with serve(api_key="given") as server:
        assert ask("vercel/openai/gpt-4.1", base_url=server.base_url, api_key="given").completion == "Answer: A"


def test_the_providers_name_may_be_part_of_the_models(ask, monkeypatch, serve):
    monkeypatch.setenv("NEBIUS_API_KEY", "sk-test")
    with serve() as server:
        ask("nebius/acme/nebius/m", base_url=server.base_url)
        assert server.requests[0].model == "acme/nebius/m"


def test_a_model_has_the_name_that_the_user_gave(monkeypatch):
    monkeypatch.setenv("NEBIUS_API_KEY", "sk-test")
    model = get_model("nebius/meta-llama/Llama-3.3-70B-Instruct", memoize=False)
    assert str(model) == "nebius/meta-llama/Llama-3.3-70B-Instruct"
    assert model.api.canonical_name() == "meta-llama/Llama-3.3-70B-Instruct"


def test_headers_need_all_their_variables_and_the_users_take_precedence(ask, monkeypatch, serve):
    monkeypatch.setenv("WANDB_API_KEY", "sk-test")
    monkeypatch.setenv("WANDB_PROJECT", "evals")
    with serve() as server:
        ask("wandb/m", base_url=server.base_url)
        monkeypatch.setenv("WANDB_ENTITY", "acme")
        given = {"OpenAI-Project": "other/one", "X-Extra": "1"}
        ask("wandb/m", base_url=server.base_url, default_headers=given)
        first, second = (request.headers for request in server.requests)
    assert "openai-project" not in first
    assert (second["openai-project"], second["x-extra"]) == ("other/one", "1")
    assert given == {"OpenAI-Project": "other/one", "X-Extra": "1"}


def test_arguments_of_the_client_are_passed_on(ask, monkeypatch, serve):
    monkeypatch.setenv("REKA_API_KEY", "sk-test")
    with serve("word by word") as server:
        assert ask("reka/m", base_url=server.base_url, stream=True).completion == "word by word"
        assert server.requests[0].body["stream"] is True
    with pytest.raises(TypeError, match="nonsense"):
        get_model("reka/m", memoize=False, nonsense=1)


VALUES = {
    "frequency_penalty": 0.5,
    "logit_bias": {7: 1},
    "num_choices": 2,
    "parallel_tool_calls": False,
    "presence_penalty": 0.5,
    "top_logprobs": 3,
}


@pytest.mark.parametrize(("name", "field"), [(p.name, field) for p in PROVIDERS for field in p.unsupported])
def test_unsupported_settings_are_refused_before_the_request(name, field, ask, monkeypatch, serve):
    provider = BY_NAME[name]
    monkeypatch.setenv(provider.keys[0], "sk-test")
    message = f"{name}/m: {name} does not support {field} ({provider.source}). Omit it."
    config = GenerateConfig(**{field: VALUES[field]})
    with pytest.raises(UsageError) as error:
        get_model(f"{name}/m", memoize=False, config=config)
    assert str(error.value) == message
    with serve() as server:
        with pytest.raises(UsageError) as error:  # a task's own settings are known at its first request
            ask(f"{name}/m", base_url=server.base_url, task=config)
        assert server.requests == []
    assert str(error.value) == message


def test_settings_that_a_provider_supports_are_sent(ask, monkeypatch, serve):
    monkeypatch.setenv("NOVITA_API_KEY", "sk-test")
    with serve() as server:
        ask("novita/m", base_url=server.base_url, task=GenerateConfig(num_choices=2))
        assert server.requests[0].body["n"] == 2


def test_a_closed_provider_needs_an_address(ask, monkeypatch, serve):
    monkeypatch.setenv("LAMBDA_API_KEY", "sk-test")
    with pytest.raises(UsageError) as error:
        get_model("lambda/m", memoize=False)
    assert str(error.value) == (
        "lambda/m: its inference API was shut down in September 2025 "
        "(https://docs.lambda.ai/public-cloud/lambda-inference-api). "
        "To use another server with this API, set LAMBDA_BASE_URL."
    )
    with serve() as server:
        assert ask("lambda/m", base_url=server.base_url).completion == "Answer: A"
