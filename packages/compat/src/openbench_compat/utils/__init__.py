"""Further names of `openbench.utils`, beyond the kernel's: helpers for images, imported on first use."""

from typing import Any

__all__ = ["extract_image_bytes", "image_bytes_to_data_uri", "pil_image_to_bytes"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from openbench_compat.utils import image  # noqa: PLC0415 - an eval that imports a neighbour needs no Pillow

        return getattr(image, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
