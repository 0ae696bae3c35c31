"""Write docs/api.md, the reference of the public API, from its docstrings: `nox -s reference`."""

import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import griffe

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "api.md"

ALL = "*"
"""What a module names in `__all__`."""

MODULES: Mapping[str, Sequence[str]] = {
    "openbench": [ALL],
    "openbench.metadata": ["BenchmarkMetadata", "BenchmarkGroup", "DatasetSource"],
    "openbench.utils.mcq": [ALL],
    "openbench.datasets": [ALL],
    "openbench.metrics": [ALL],
    "openbench.scorers.exact": ["exact", "score_exact"],
    "openbench.scorers.pattern": ["pattern", "score_pattern"],
    "openbench.scorers.mcq": ["create_mcq_scorer", "score_mcq"],
    "openbench.tasks.solvers": ["static", "declare"],
    "openbench.run.engine": ["Engine", "Support"],
    "openbench.run.executor": ["Executor"],
    "openbench.errors": ["OpenbenchError", "UsageError", "DataError", "LogError"],
    "openbench_scorers.means": ["by_group", "clustered_stderr", "macro_average", "micro_average", "wilson"],
    "openbench_analysis": [ALL],
    "openbench_analysis.statistics": [ALL],
    "openbench_analysis.statistics.exact_power": [
        "mcnemar_power",
        "mcnemar_detectable_effect",
        "mcnemar_samples_needed",
    ],
}
_HEAD = """\
# API reference

Made from the docstrings by `nox -s reference`. [Python](python.md) shows how the parts are used.
"""


def page() -> str:
    """Return the page."""
    logging.getLogger("griffe").setLevel(logging.ERROR)  # docstrings of other packages are none of ours
    loader = griffe.GriffeLoader(search_paths=sorted(ROOT.glob("packages/*/src")), docstring_parser="google")
    for package in dict.fromkeys(name.partition(".")[0] for name in MODULES):
        loader.load(package)
    loader.resolve_aliases()
    contents = [f"- [`{module}`](#{_anchor(module)})" for module in MODULES]
    sections = [_module(loader.modules_collection[module], names) for module, names in MODULES.items()]
    return "\n".join([_HEAD, *contents, "", "\n\n".join(sections)]) + "\n"


def _anchor(heading: str) -> str:
    return heading.replace(".", "")


def _module(module: Any, names: Sequence[str]) -> str:
    """Return the section of a module."""
    wanted = list(module.exports or ()) if names == [ALL] else names
    members = {name: _member(module, name) for name in (str(getattr(each, "name", each)) for each in wanted)}
    entries = [_object(f"{module.path}.{name}", found) for name, found in members.items() if found]
    return "\n\n".join([f"## {module.path}", *_text(module), *entries])


def _member(module: Any, name: str) -> Any:
    """Return an object that a module has or imports, also for type checkers alone; None for one of another project."""
    found = module.members.get(name)
    try:
        return found.final_target if found is not None and found.is_alias else found
    except griffe.AliasResolutionError:
        return None


def _object(path: str, found: Any) -> str:
    """Return the entry of a function, a class or a value under its public path."""
    heading, name = f"### `{path}`", path.rpartition(".")[2]
    if found.is_module:
        raise ValueError(f"{path} is a module as well, so that one hides the other.")
    if found.is_attribute:
        return "\n\n".join([heading, *_text(found)])
    members = [
        _method(each)
        for each in found.members.values()
        if found.is_class and each.is_function and not each.name.startswith("_") and each.docstring
    ]
    return "\n\n".join([heading, _signature(name, found), *_text(found), *members])


def _method(found: Any) -> str:
    return "\n\n".join([f"**`{found.name}`**", _signature(found.name, found), *_text(found)])


def _signature(name: str, found: Any) -> str:
    """Return the call of a function or class as a block of code, a parameter a line where it is long."""
    if found.is_class and any(str(base).endswith("Exception") for base in found.bases):
        return f"```python\nclass {name}\n```"
    given = [each for each in found.parameters if each.name not in {"self", "cls"}]
    parameters = list(map(_parameter, given))
    kinds = [each.kind for each in given]
    keywords, positional = griffe.ParameterKind.keyword_only, griffe.ParameterKind.positional_only
    if keywords in kinds and griffe.ParameterKind.var_positional not in kinds:
        parameters.insert(kinds.index(keywords), "*")
    if positional in kinds:
        parameters.insert(kinds.count(positional), "/")
    returns = f" -> {str(found.returns).strip(chr(34))}" if found.is_function and found.returns is not None else ""
    line = f"{name}({', '.join(parameters)}){returns}"
    if len(line) > 100:  # noqa: PLR2004 - the width of a page
        line = "\n".join([f"{name}(", *(f"    {each}," for each in parameters), f"){returns}"])
    return f"```python\n{line}\n```"


def _parameter(parameter: Any) -> str:
    kinds = {griffe.ParameterKind.var_positional: "*", griffe.ParameterKind.var_keyword: "**"}
    prefix = kinds.get(parameter.kind, "")
    annotation = f": {str(parameter.annotation).strip(chr(34))}" if parameter.annotation is not None else ""
    default = "" if prefix or parameter.default is None else f" = {parameter.default}"
    return f"{prefix}{parameter.name}{annotation}{default}"


def _text(found: Any) -> Iterator[str]:
    """Yield the paragraphs and lists of a docstring."""
    for section in found.docstring.parsed if found.docstring else ():
        match section.kind:
            case griffe.DocstringSectionKind.text | griffe.DocstringSectionKind.admonition:
                yield str(getattr(section.value, "description", section.value))
            case griffe.DocstringSectionKind.parameters | griffe.DocstringSectionKind.attributes:
                yield _list(f"`{each.name}`: {each.description}" for each in section.value)
            case griffe.DocstringSectionKind.returns | griffe.DocstringSectionKind.yields:
                texts = " ".join(each.description for each in section.value)
                yield f"**{section.kind.value.capitalize()}:** {_line(texts)}"
            case griffe.DocstringSectionKind.raises:
                yield "**Raises:**\n\n" + _list(f"`{each.annotation}`: {each.description}" for each in section.value)
            case _:
                raise ValueError(f"{found.path}: a docstring has a section of {section.kind.value}.")


def _list(lines: Iterator[str]) -> str:
    return "\n".join(f"- {_line(line)}" for line in lines)


def _line(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(PAGE.read_text("utf-8") != page() and f"{PAGE.relative_to(ROOT)} is out of date: nox -s reference")
    PAGE.write_text(page(), "utf-8")
