"""How the model generates: as the provider does by default, or with the settings of groq/openbench."""

from inspect_ai.model import GenerateConfig

from openbench.errors import UsageError

SETTINGS = {"default": GenerateConfig(), "upstream": GenerateConfig(temperature=0.5)}


def generation(benchmark: str, settings: str) -> GenerateConfig:
    """Return how to generate with settings of this name; options of `bench eval` go before them.

    Raises:
        UsageError: There are no such settings.
    """
    if settings not in SETTINGS:
        raise UsageError(f"{benchmark}: settings={settings!r} does not exist. Use 'default' or 'upstream'.")
    return SETTINGS[settings].model_copy()
