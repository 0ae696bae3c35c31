"""The model providers that Inspect finds through the `inspect_ai` entry point."""

from openbench_loglikelihood.first_token import FirstTokenAPI
from openbench_loglikelihood.provider import LocalAPI

__all__ = ["FirstTokenAPI", "LocalAPI"]
