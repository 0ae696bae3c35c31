"""What inspect finds through the `inspect_ai` entry point: the providers of the table that it lacks."""

from openbench_providers.factory import register
from openbench_providers.inspects import registered_names
from openbench_providers.table import PROVIDERS

for _provider in PROVIDERS:
    if _provider.name not in registered_names():
        register(_provider)
