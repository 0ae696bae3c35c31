"""What the tests of bundles share: a disk that can be full."""

from openbench_testing.commands.fixtures import disk

__all__ = ["disk"]
