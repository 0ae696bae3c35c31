"""Generation settings: the provider's defaults, or those of groq/openbench."""

from inspect_ai.model import GenerateConfig

from openbench.errors import UsageError

SETTINGS = {"default": GenerateConfig(), "upstream": GenerateConfig(temperature=0.5)}


def generation(benchmark: str, settings: str) -> GenerateConfig:
    """Return the generation settings with this name; options of `bench eval` override them.

    Raises:
        UsageError: The name is unknown.
    """
    if settings not in SETTINGS:
        raise UsageError(f"{benchmark}: settings={settings!r} does not exist. Use 'default' or 'upstream'.")
    return SETTINGS[settings].model_copy()
