"""The language of a text, by the library langdetect, whose draws are seeded: the same text, the same answer.

It is imported on first use: Inspect imports every installed benchmark whenever it starts.
"""

from functools import cache, lru_cache
from pathlib import Path
from typing import Any

_SEED = 0


@lru_cache(maxsize=4096)  # a response is asked of by several instructions, and in eight variants
def language_of(text: str) -> str | None:
    """Return the language of a text as langdetect names it (`en`, `zh-cn`); None if it has nothing to tell it by."""
    from langdetect import LangDetectException  # noqa: PLC0415 - see above

    detector = _factory().create()
    detector.append(text)
    try:
        return str(detector.detect())
    except LangDetectException:
        return None


@cache
def _factory() -> Any:
    """Load the profiles of all languages, in an order that no file system decides, apart from langdetect's globals."""
    from langdetect.detector_factory import PROFILES_DIRECTORY, DetectorFactory  # noqa: PLC0415 - see above

    factory = DetectorFactory()
    profiles = sorted(Path(PROFILES_DIRECTORY).iterdir())
    factory.load_json_profile([profile.read_text("utf-8") for profile in profiles if not profile.name.startswith(".")])
    factory.seed = _SEED
    return factory
