"""Prompts of judges, with a name, a version and a text for each language."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from openbench.errors import UsageError


@dataclass(frozen=True)
class JudgePrompt:
    """A judge's prompt.

    Scores judged with different versions are not comparable: changing a text raises the version.

    Attributes:
        name: Its name.
        version: Its version, from 1.
        texts: The prompts by language (ISO 639-1): format strings, with literal braces doubled.
        systems: The system messages by language, if any.
    """

    name: str
    version: int
    texts: Mapping[str, str]
    systems: Mapping[str, str] = field(default_factory=dict)

    def label(self, language: str = "en") -> str:
        """Return the prompt's identity in logs: `name/version/language`."""
        return f"{self.name}/{self.version}/{language}"

    def render(self, language: str = "en", **fields: object) -> str:
        """Return the text with its fields filled in.

        Raises:
            UsageError: The prompt has no text in this language.
        """
        return self._text(language).format(**fields)

    def nearest(self, language: str | None) -> str:
        """Return the language if the prompt has a text in it, else English."""
        return language if language and language in self.texts else "en"

    def check_language(self, language: str) -> None:
        """Check that the prompt has a text in a language.

        Raises:
            UsageError: It has none.
        """
        self._text(language)

    def _text(self, language: str) -> str:
        if language not in self.texts:
            known = ", ".join(map(repr, sorted(self.texts)))
            raise UsageError(f"language={language!r}: the judge {self.name} has prompts in {known}.")
        return self.texts[language]
