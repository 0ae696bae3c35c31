"""Loads a model and its tokenizer, with actionable errors."""

from pathlib import Path
from typing import Any

import torch
from huggingface_hub import try_to_load_from_cache
from transformers import AutoModelForCausalLM, AutoTokenizer

from openbench.errors import UsageError


def load(
    name: str,
    *,
    revision: str | None = None,
    device: str = "auto",
    dtype: str = "auto",
    adapter: str | None = None,
    device_map: str | dict[str, Any] | None = None,
) -> tuple[Any, Any]:
    """Load a causal language model, ready for inference, and its tokenizer.

    Args:
        name: A folder, or an id on the Hugging Face Hub.
        revision: The commit, tag or branch.
        device: A torch device; "auto" takes CUDA, then MPS, then the CPU.
        dtype: "float32", "bfloat16", "float16", or "auto" for that of the checkpoint.
        adapter: The folder or id of a PEFT adapter, which is not merged into the model.
        device_map: The placement of layers by accelerate ("auto", "balanced", or a mapping), instead of `device`.

    Raises:
        UsageError: There is no such model, revision, tokenizer, dtype, device or adapter, or a library is missing.
    """
    kind = _dtype(dtype)
    if revision and Path(name).is_dir():
        raise UsageError(f"revision: {name} is a folder, which has no revisions. Leave it out, or name a model's id.")
    tokenizer = _loaded("tokenizer", AutoTokenizer, name, revision=revision)
    placed = {"device_map": device_map} if device_map else {}
    model = _loaded("model", AutoModelForCausalLM, name, revision=revision, dtype=kind, **placed)
    if adapter:
        model = _adapted(model, adapter)
    return model if device_map else _moved(model, _device(device)), tokenizer


def commit_of(name: str, revision: str | None = None) -> str | None:
    """Return the Hub commit of a loaded model; None for a folder."""
    config = None if Path(name).is_dir() else try_to_load_from_cache(name, "config.json", revision=revision)
    return Path(config).parent.name if isinstance(config, str) else None


def _loaded(what: str, kind: Any, name: str, **options: Any) -> Any:
    try:
        loaded = kind.from_pretrained(name, **options)
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise UsageError(f"{name}: the {what} cannot be loaded ({_first_line(error)}).") from error
    return loaded.eval() if what == "model" else loaded


def _adapted(model: Any, adapter: str) -> Any:
    try:
        from peft import PeftModel  # noqa: PLC0415 - the extra "adapters"
    except ImportError as error:
        raise UsageError("adapter: peft is missing. Install openbench-loglikelihood[adapters].") from error
    try:
        return PeftModel.from_pretrained(model, adapter).eval()
    except (OSError, ValueError, RuntimeError) as error:
        raise UsageError(f"{adapter}: the adapter cannot be loaded ({_first_line(error)}).") from error


def _dtype(name: str) -> torch.dtype | str:
    known = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
    if name == "auto":
        return name
    if name not in known:
        raise UsageError(f"dtype: expected auto, {', '.join(known)}, not {name!r}.")
    return known[name]


def _device(name: str) -> str:
    if name != "auto":
        return name
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _moved(model: Any, device: str) -> Any:
    try:
        return model.to(device)
    except torch.OutOfMemoryError as error:
        raise UsageError(
            f"device: the model does not fit the memory of {device}. Use a smaller dtype, or a device_map."
        ) from error
    except (AssertionError, RuntimeError) as error:
        raise UsageError(f"device: {device!r} cannot be used ({_first_line(error)}).") from error


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
