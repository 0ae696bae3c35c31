"""An OpenAI-compatible chat server with scripted answers and faults."""

from openbench_testing.chat.batches import BatchServer
from openbench_testing.chat.completions import ChatRequest, Reply
from openbench_testing.chat.faults import Fault
from openbench_testing.chat.server import ChatServer

__all__ = ["BatchServer", "ChatRequest", "ChatServer", "Fault", "Reply"]
