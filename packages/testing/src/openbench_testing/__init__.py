"""Local servers for testing benchmarks: an OpenAI-compatible model and a dataset Hub, both on 127.0.0.1."""

from openbench_testing.chat import ChatRequest, ChatServer, Fault, Reply
from openbench_testing.hub import HubServer

__all__ = ["ChatRequest", "ChatServer", "Fault", "HubServer", "Reply"]
