"""Shared fixtures: an environment without keys, and a server that answers at any path."""

import asyncio
import os
from dataclasses import replace

import pytest
from inspect_ai.model import GenerateConfig, get_model

from openbench_testing import ChatServer
from openbench_testing.commands.fixtures import bench

__all__ = ["bench"]


class ProviderServer(ChatServer):
    """A server with OpenAI's API at any path; `paths` are the requested paths."""

    def __init__(self, answer="Answer: A", *, api_key="sk-test"):
        super().__init__(answer, api_key=api_key)
        self.paths = []

    def respond(self, request):
        self.paths.append(request.path)
        return super().respond(replace(request, path="/v1/chat/completions"))


@pytest.fixture(autouse=True)
def no_keys(monkeypatch):
    """Remove this machine's variables for keys and addresses."""
    for name in os.environ:
        if name.endswith(("_API_KEY", "_TOKEN", "_BASE_URL")) or name.startswith(("WANDB_", "FRIENDLI_", "OPENAI_")):
            monkeypatch.delenv(name)


@pytest.fixture
def ask():
    """Ask a model one question, and return its output."""

    def run(name, prompt="What?", task=None, **options):
        async def generate():
            async with get_model(name, memoize=False, **options) as model:
                return await model.generate(prompt, config=task or GenerateConfig())

        return asyncio.run(generate())

    return run


@pytest.fixture
def serve():
    """Return the class of a server for the requests of any provider."""
    return ProviderServer
