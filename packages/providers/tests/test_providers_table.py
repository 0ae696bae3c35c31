"""Tests of the table, and that it never overrides one of Inspect's own providers."""

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.util import registry_info

from openbench.run.models import OF_OPENBENCH_PROVIDERS
from openbench_providers import inspects
from openbench_providers.inspects import INSTEAD, KEYS, inspect_names, registered_names
from openbench_providers.provider import variables
from openbench_providers.table import PROVIDERS

NAMES = [provider.name for provider in PROVIDERS]

# The providers that plugins of openbench used to register.
REGISTERED_BEFORE = {
    *("ai21", "baseten", "cerebras", "cohere", "crusoe", "deepinfra", "friendli", "groq", "helicone", "huggingface"),
    *("hyperbolic", "lambda", "minimax", "moonshot", "nebius", "nous", "novita", "openrouter", "parasail", "reka"),
    *("sambanova", "siliconflow", "vercel", "vllm", "wandb"),
}


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.name)
def test_a_row_is_well_formed(provider):
    assert re.fullmatch(r"[a-z][a-z0-9]*", provider.name)
    for url in (provider.base_url, provider.models, provider.source):
        parts = urlsplit(url)
        assert parts.scheme == "https"
        assert "." in parts.netloc
        assert not url.endswith("/")
    assert provider.keys
    for name in [*provider.keys, *(name for template in provider.headers.values() for name in variables(template))]:
        assert re.fullmatch(r"[A-Z][A-Z0-9_]+", name)
    assert set(provider.unsupported) <= GenerateConfig.model_fields.keys()


def test_names_are_unique_and_sorted():
    assert sorted(set(NAMES)) == NAMES


def test_every_previous_provider_is_available():
    assert registered_names() | set(NAMES) >= REGISTERED_BEFORE


def test_the_readme_names_all_of_them():
    readme = (Path(__file__).parent.parent / "README.md").read_text("utf-8")
    (listed,) = re.findall(r"^`ai21`.*?\. Everything", readme, re.MULTILINE | re.DOTALL)
    assert re.findall(r"`(\w+)`", listed) == NAMES


def test_inspects_source_and_registry_have_the_same_names():
    assert inspect_names() == registered_names()
    assert {"openai", "anthropic", "google", "groq", "vllm"} <= inspect_names()


def test_without_its_source_the_registry_is_used(monkeypatch, tmp_path):
    monkeypatch.setattr(inspects, "source_of", lambda _module: None)
    assert inspect_names() == registered_names()
    (tmp_path / "moved.py").write_text("from elsewhere import *\n")
    monkeypatch.setattr(inspects, "source_of", lambda _module: tmp_path / "moved.py")
    assert inspect_names() == registered_names()


def test_the_keys_of_inspects_providers_are_known():
    assert not KEYS.keys() & INSTEAD.keys()
    assert KEYS.keys() | INSTEAD.keys() == registered_names()


@pytest.mark.parametrize("name", ["deepseek", "moonshot", "openrouter", "sambanova"])
def test_inspects_providers_stay_its_own(name, monkeypatch):
    monkeypatch.setenv(KEYS[name][0], "sk-test")
    get_model("nebius/m", memoize=False, api_key="sk-test")  # registers the providers of the table
    assert registry_info(get_model(f"{name}/org/m", memoize=False).api).name == f"inspect_ai/{name}"


NEWER = """
import inspect_ai.model
from inspect_ai.model import get_model, modelapi

class Gained(inspect_ai.model.ModelAPI):
    async def generate(self, input, tools, tool_choice, config): ...

def cerebras():
    return Gained

cerebras.__module__ = "inspect_ai.model"
inspect_ai.model.cerebras = modelapi("cerebras")(cerebras)

model = get_model("nebius/m", api_key="x")  # a name that is not Inspect's makes it load the plugins
from inspect_ai.util import registry_info
print(registry_info(model.api).name)
print(type(get_model("cerebras/m").api).__name__)
from openbench_providers.inspects import registered_names
print("cerebras" in registered_names())
import openbench_providers.factory, openbench_providers._registry
try:
    registered = inspect_ai.util.registry_create("modelapi", "openbench_providers/cerebras", model_name="m")
    print("registered")
except LookupError as error:
    print(error)
"""


def test_a_name_that_a_newer_inspect_adds_takes_precedence():
    done = subprocess.run([sys.executable, "-c", NEWER], capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "openbench_providers/nebius",
        "Gained",
        "True",
        "openbench_providers/cerebras was not found in the registry",
    ]


def test_core_names_this_package_for_its_providers():
    assert OF_OPENBENCH_PROVIDERS.split() == sorted(NAMES)
