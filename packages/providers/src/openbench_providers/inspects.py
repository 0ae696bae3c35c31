"""The providers of the installed inspect-ai: their names, and the variables of their keys."""

import ast
from collections.abc import Iterator, Mapping
from functools import cache

from openbench.registry.sources import source_of

DOCUMENTATION = "https://inspect.aisi.org.uk/providers.html"
_DECLARATIONS = "inspect_ai.model._providers.providers"

# As of inspect-ai 0.3.285; any one of the variables suffices. Providers of newer versions are listed without variables.
KEYS: Mapping[str, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    "azureai": ("AZURE_API_KEY", "AZUREAI_API_KEY"),
    "cloudflare": ("CLOUDFLARE_API_KEY", "CLOUDFLARE_API_TOKEN"),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "fireworks": ("FIREWORKS_API_KEY",),
    "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY", "VERTEX_API_KEY"),
    "grok": ("XAI_API_KEY", "GROK_API_KEY"),
    "groq": ("GROQ_API_KEY",),
    "hf-inference-providers": ("HF_TOKEN",),
    "litellm-proxy": ("LITELLM_PROXY_API_KEY", "LITELLM_API_KEY"),
    "meta": ("META_API_KEY", "MODEL_API_KEY"),
    "mistral": ("MISTRAL_API_KEY",),
    "moonshot": ("MOONSHOT_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY",),
    "perplexity": ("PERPLEXITY_API_KEY",),
    "sambanova": ("SAMBANOVA_API_KEY",),
    "together": ("TOGETHER_API_KEY",),
}

# The credentials of providers without such a variable.
INSTEAD: Mapping[str, str] = {
    "bedrock": "AWS credentials",
    "sagemaker": "AWS credentials",
    "openai-api": "<NAME>_API_KEY",
    "openai-api-completions": "<NAME>_API_KEY",
    **dict.fromkeys(
        ("hf", "llama-cpp-python", "mockllm", "nnterp", "none", "ollama", "sglang", "transformer_lens"), "no key"
    ),
    **dict.fromkeys(("vllm", "vllm-completions"), "no key"),
}


def inspect_names() -> frozenset[str]:
    """Return the names of the installed inspect-ai's providers.

    They are parsed from its source, since importing it takes seconds; it is imported only if parsing finds none.
    """
    source = source_of(_DECLARATIONS)
    names = frozenset(_declared(source.read_text("utf-8"))) if source else frozenset()
    return names or registered_names()


def _declared(source: str) -> Iterator[str]:
    """Yield the names in a module's `@modelapi(name="…")` decorators."""
    for node in ast.parse(source).body:
        for decorator in getattr(node, "decorator_list", ()):
            match decorator:
                case ast.Call(func=ast.Name("modelapi"), keywords=[ast.keyword("name", ast.Constant(str(name)))]):
                    yield name


@cache
def registered_names() -> frozenset[str]:
    """Return the names of the providers registered by inspect-ai itself; this imports it."""
    import inspect_ai.model  # noqa: PLC0415 - it takes seconds
    from inspect_ai.util import registry_info  # noqa: PLC0415 - likewise

    names = set()
    for attribute in vars(inspect_ai.model).values():
        try:
            info = registry_info(attribute)
        except ValueError:
            continue  # not a registered object
        if info.type == "modelapi":
            names.add(info.name.removeprefix("inspect_ai/"))
    return frozenset(names)
