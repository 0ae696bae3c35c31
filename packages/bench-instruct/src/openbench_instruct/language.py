"""Detects the language of a text with the library langdetect, seeded so that the result is always the same.

langdetect is imported on first use, since Inspect imports every installed benchmark at start-up.
"""

from functools import cache, lru_cache
from pathlib import Path
from typing import Any

_SEED = 0


@lru_cache(maxsize=4096)  # several instructions ask for the same response, in eight variants
def language_of(text: str) -> str | None:
    """Return langdetect's name for the language of a text (`en`, `zh-cn`); None if it detects none."""
    from langdetect import LangDetectException  # noqa: PLC0415 - see above

    detector = _factory().create()
    detector.append(text)
    try:
        return str(detector.detect())
    except LangDetectException:
        return None


@cache
def _factory() -> Any:
    """Load the profiles of all languages in a fixed order, without changing langdetect's globals."""
    from langdetect.detector_factory import PROFILES_DIRECTORY, DetectorFactory  # noqa: PLC0415 - see above

    factory = DetectorFactory()
    profiles = sorted(Path(PROFILES_DIRECTORY).iterdir())
    factory.load_json_profile([profile.read_text("utf-8") for profile in profiles if not profile.name.startswith(".")])
    factory.seed = _SEED
    return factory
