"""The model provider that Inspect finds through the `inspect_ai` entry point."""

from openbench_loglikelihood.provider import LocalAPI

__all__ = ["LocalAPI"]
