"""Images of dataset rows, as bytes and as data URIs. Pillow is imported only to open or write an image."""

import base64
import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PIL import Image

_MEGABYTE = 1 << 20
_SIGNATURES = {
    b"\xff\xd8\xff": "image/jpeg",
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"BM": "image/bmp",
    b"II*\x00": "image/tiff",
    b"MM\x00*": "image/tiff",
    b"\x00\x00\x01\x00": "image/x-icon",
}


def extract_image_bytes(image_data: Any) -> bytes:
    """Return the bytes of an image in a row: bytes, a mapping with `bytes`, or a Pillow image (as PNG).

    Raises:
        ValueError: It is none of these.
    """
    data: Any = image_data.get("bytes") if isinstance(image_data, Mapping) else image_data
    if isinstance(data, bytes):
        return data
    if hasattr(data, "save"):
        return pil_image_to_bytes(data)
    raise ValueError(f"the image is {image_data!r:.80}: expected bytes, a mapping with 'bytes' or a Pillow image")


def pil_image_to_bytes(image: "Image.Image", format: str = "PNG") -> bytes:  # noqa: A002 - the published name
    """Return a Pillow image as the bytes of a file in a format."""
    buffer = io.BytesIO()
    image.save(buffer, format=format)
    return buffer.getvalue()


def detect_image_mime_type(image_bytes: bytes) -> str:
    """Return an image's MIME type, detected from its first bytes; `image/png` if it is not recognized."""
    if image_bytes[:4] == b"RIFF" and image_bytes[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in _SIGNATURES.items() if image_bytes.startswith(start)), "image/png")


def image_bytes_to_data_uri(image_bytes: bytes) -> str:
    """Return an image as a `data:` URI for a message."""
    return f"data:{detect_image_mime_type(image_bytes)};base64,{base64.b64encode(image_bytes).decode('ascii')}"


def compress_image(
    image_bytes: bytes, max_size_mb: float = 20.0, quality: int = 85, max_dimension: int = 2048
) -> bytes:
    """Return an image as a smaller JPEG if it is too large for providers.

    Transparent parts become white.

    Args:
        image_bytes: The image's file.
        max_size_mb: The size in megabytes up to which it is not changed.
        quality: The JPEG's quality, 1 to 100.
        max_dimension: The maximum number of pixels of its longer side.

    Returns:
        The JPEG; the original if it is small enough, not larger than the JPEG, or cannot be opened.
    """
    if len(image_bytes) <= max_size_mb * _MEGABYTE:
        return image_bytes
    from PIL import Image, UnidentifiedImageError  # noqa: PLC0415 - slow to import, and only this needs it

    try:
        with Image.open(io.BytesIO(image_bytes)) as opened:
            layered = opened.convert("RGBA")
    except (UnidentifiedImageError, OSError):
        return image_bytes
    flat = Image.new("RGB", layered.size, "white")
    flat.paste(layered, mask=layered.getchannel("A"))
    flat.thumbnail((max_dimension, max_dimension), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    flat.save(buffer, format="JPEG", quality=quality, optimize=True)
    return min(buffer.getvalue(), image_bytes, key=len)
