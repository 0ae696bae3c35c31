"""Shell completion, answered from the registry alone. Typer is imported only to complete options.

The scripts that `bench --install-completion` installs pass `_BENCH_COMPLETE` and the words typed so far in the
environment.
"""

import re
import sys
from collections.abc import Iterable, Mapping

from openbench.errors import SUCCESS

SHELLS = ("bash", "zsh", "fish")
_TAKE_NAMES = {"describe", "eval", "use", "check", "fork", "data pull", "data rm", "data export"}
_ZSH = str.maketrans({'"': '""', "'": "''", "$": "\\$", "`": "\\`", ":": r"\\:"})

Items = list[tuple[str, str]]


def complete(environment: Mapping[str, str]) -> int | None:
    """Write the completions that a shell asks for to stdout.

    Returns:
        The exit code; None if this is not a completion, or if Typer completes it (options and their values).
    """
    asked, _, shell = environment.get("_BENCH_COMPLETE", "").partition("_")
    if asked != "complete" or shell not in SHELLS:
        return None
    before, incomplete = typed_words(environment)
    items = _items(before, incomplete)
    if items is None:
        return None
    text, code = _answer(shell, items, environment.get("_TYPER_COMPLETE_FISH_ACTION"))
    if text:
        sys.stdout.write(f"{text}\n")
    return code


def typed_words(environment: Mapping[str, str]) -> tuple[list[str], str]:
    """Return the complete words after `bench`, and the word being typed."""
    if "COMP_WORDS" in environment:
        words, at = _split(environment["COMP_WORDS"]), int(environment["COMP_CWORD"])
        return words[1:at], words[at] if at < len(words) else ""
    line = environment.get("_TYPER_COMPLETE_ARGS", "")
    words = _split(line)[1:]
    return (words, "") if not words or line.endswith(" ") else (words[:-1], words[-1])


def complete_names(incomplete: str) -> list[str]:
    """Return the names with a prefix: benchmarks and groups or, after an `@`, distributions."""
    from openbench.registry.catalog import Catalog
    from openbench.registry.names import normalized

    catalog = Catalog.installed()
    name, at, _ = incomplete.partition("@")
    if at:
        names: Iterable[str] = [f"{name}@{candidate.distribution}" for candidate in catalog.candidates(name)]
    else:
        names = [*catalog.resolutions, *(group.key for group in catalog.groups.values())]
    return [name for name in names if normalized(name).startswith(normalized(incomplete))]


def _items(before: list[str], incomplete: str) -> Items | None:
    if not before and not incomplete.startswith("-"):
        from openbench.cli.plugins import described_commands

        return [(name, help_) for name, _, help_ in described_commands() if name.startswith(incomplete)]
    after_option = any(word.startswith("-") for word in (*before[-1:], incomplete))  # which may take it as its value
    if after_option or not {" ".join(before[:1]), " ".join(before[:2])} & _TAKE_NAMES:
        return None
    return [(name, "") for name in complete_names(incomplete)]


def _answer(shell: str, items: Items, fish_action: str | None) -> tuple[str, int]:
    """Format items for a shell's script, and return the exit code. Without items, shells complete paths."""
    if shell == "bash":
        return "\n".join(value for value, _ in items), SUCCESS
    if shell == "zsh":
        rows = [":".join(f'"{text.translate(_ZSH)}"' for text in item if text) for item in items]
        return ("_arguments '*: :((" + "\n".join(rows) + "))'" if rows else "_files"), SUCCESS
    if fish_action == "is-args":
        return "", int(not items)
    return "\n".join(re.sub(r"[^\S\t]", " ", "\t".join(filter(None, item))) for item in items), SUCCESS


def _split(text: str) -> list[str]:
    """Split a line as a shell does, or at spaces if a quote is open."""
    import shlex

    try:
        return shlex.split(text)
    except ValueError:
        return text.split()
