"""A dataset Hub that the real `datasets.load_dataset` reads from."""

from openbench_testing.hub.server import HubServer

__all__ = ["HubServer"]
