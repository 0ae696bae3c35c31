"""Conformance tests for benchmarks, and local servers for a model and a dataset Hub on 127.0.0.1."""

from openbench_testing.chat import BatchServer, ChatRequest, ChatServer, Fault, Reply
from openbench_testing.conformance import BenchmarkConformance
from openbench_testing.hub import HubServer

__all__ = ["BatchServer", "BenchmarkConformance", "ChatRequest", "ChatServer", "Fault", "HubServer", "Reply"]
