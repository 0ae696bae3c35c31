"""Images of dataset rows as message content: data URIs, placed at the markers of a text."""

import hashlib
import io
import re
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.model import ChatMessageUser, Content, ContentImage, ContentText
from PIL import Image, UnidentifiedImageError

from openbench.datasets.values import is_whole
from openbench.errors import UsageError

_MARKER = re.compile(r"<image (\d+)>")
# The formats that all providers of vision models accept; images in other formats become PNG.
_FORMATS = {"PNG": "image/png", "JPEG": "image/jpeg", "MPO": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}
_WITH_TRANSPARENCY = {"LA", "La", "PA", "RGBA", "RGBa"}


class Images:
    """Convert the images of one dataset to message content; equal images share one data URI in memory.

    An image is passed on byte for byte, unless it must be converted to another format or scaled down.
    """

    def __init__(self, max_side: int | None = None) -> None:
        """Set the maximum size of images.

        Args:
            max_side: Maximum length of an image's longer side, in pixels; larger ones are scaled down. None: no limit.

        Raises:
            UsageError: It is not a whole number of 1 or more.
        """
        if max_side is not None and (not is_whole(max_side) or max_side < 1):
            raise UsageError(f"max_side={max_side!r}: expected a whole number of pixels, 1 or more, or none.")
        self._max_side = max_side
        self._uris: dict[bytes, str] = {}

    def content(self, image: object) -> ContentImage:
        """Return an image as message content.

        Args:
            image: The image file as bytes or base64 text, or a mapping with either under `bytes`, as in image columns
                of the Hub.

        Raises:
            ValueError: It has another type, or Pillow cannot read the image.
        """
        data = _bytes(image)
        digest = hashlib.sha256(data).digest()
        if digest not in self._uris:
            self._uris[digest] = _uri(data, self._max_side)
        return ContentImage(image=self._uris[digest])

    def before(self, images: Sequence[object], text: str) -> ChatMessageUser:
        """Return a message with the images before the text."""
        return ChatMessageUser(content=[*map(self.content, images), ContentText(text=text)])

    def interleaved(self, text: str, row: Mapping[str, Any]) -> ChatMessageUser:
        """Return a message with the images of a row at the markers `<image 1>`, `<image 2>`, … of a text.

        Markers stay in the text. An image follows the first occurrence of its marker only. A line break after an image
        is removed, so that the text has no blank line there. If the text has no marker, the row's first image comes
        before it.

        Args:
            text: The text.
            row: The row, with the images as `image_1`, `image_2`, ….

        Raises:
            ValueError: The row has no image for a marker.
        """
        if not _MARKER.search(text):
            first = row.get("image_1")
            return self.before([] if first is None else [first], text)
        content: list[Content] = []
        start, shown = 0, set()
        for marker in _MARKER.finditer(text):
            number = marker[1]
            if number in shown:
                continue
            image = row.get(f"image_{number}")
            if image is None:
                raise ValueError(f"the text has {marker[0]}, but image_{number} is empty")
            shown.add(number)
            content += [ContentText(text=text[start : marker.end()]), self.content(image)]
            start = marker.end() + text.startswith("\n", marker.end())
        rest = [ContentText(text=text[start:])] if text[start:].strip() else []
        return ChatMessageUser(content=[*content, *rest])


def _bytes(image: object) -> bytes:
    data = image.get("bytes") if isinstance(image, Mapping) else image
    if isinstance(data, str):
        return b64decode(data, validate=True)
    if isinstance(data, bytes):
        return data
    raise ValueError(f"the image is {image!r:.80}, expected bytes, base64, or a mapping with 'bytes'")


def _uri(data: bytes, max_side: int | None) -> str:
    try:
        with Image.open(io.BytesIO(data)) as image:
            kind = image.format or ""
            too_large = max_side is not None and max(image.size) > max_side
            if kind in _FORMATS and not too_large:
                return f"data:{_FORMATS[kind]};base64,{b64encode(data).decode()}"
            transparent = image.mode in _WITH_TRANSPARENCY or "transparency" in image.info
            copy = image.convert("RGBA" if transparent else "RGB")
    except (UnidentifiedImageError, OSError, SyntaxError) as error:
        raise ValueError(f"an image of {len(data):,} bytes cannot be read: {error}") from error
    if max_side is not None:
        copy.thumbnail((max_side, max_side), Image.Resampling.LANCZOS)
    written = "JPEG" if _FORMATS.get(kind) == "image/jpeg" else "PNG"
    buffer = io.BytesIO()
    copy.save(buffer, format=written, quality=95)
    return f"data:{_FORMATS[written]};base64,{b64encode(buffer.getvalue()).decode()}"
