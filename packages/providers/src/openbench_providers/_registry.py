"""The module of the `inspect_ai` entry point: registers the providers of the table that Inspect lacks."""

from openbench_providers.factory import register
from openbench_providers.inspects import registered_names
from openbench_providers.table import PROVIDERS

for _provider in PROVIDERS:
    if _provider.name not in registered_names():
        register(_provider)
