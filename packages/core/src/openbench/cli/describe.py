"""`bench describe`."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from openbench.cli import options as opt
from openbench.cli.completion import complete_names
from openbench.cli.layout import wrapped
from openbench.cli.plugins import load_why
from openbench.errors import SUCCESS
from openbench.registry.benchmark import Benchmark, find_benchmark
from openbench.registry.catalog import Catalog, Group


def command(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            autocompletion=complete_names,
            help="A benchmark's key or display name, benchmark@distribution, a group, or the path of a local eval.",
        ),
    ],
    why: Annotated[
        bool, typer.Option("--why", help="Show the name's candidates, and which one wins by which rule.")
    ] = False,
    no_overrides: opt.NoOverrides = False,
    as_json: opt.Json = False,
) -> int:
    """Show a benchmark's or group's details.

    Its task is not imported, and nothing is fetched.
    """
    catalog = Catalog.installed(overrides=not no_overrides)
    if why:
        load_why()(catalog, name, as_json=as_json)
        return SUCCESS
    group = catalog.group(name)
    described = _group(catalog, group) if group else _benchmark(find_benchmark(catalog, name))
    if as_json:
        opt.echo_json(described)
    else:
        typer.echo(_text(described))
    return SUCCESS


def _benchmark(benchmark: Benchmark) -> dict[str, Any]:
    meta, signature, resolution = benchmark.metadata, benchmark.signature(), benchmark.resolution
    return {
        "key": benchmark.key,
        "name": meta.name,
        "description": meta.description,
        "category": meta.category,
        "tags": list(meta.tags),
        "distribution": benchmark.distribution,
        "version": benchmark.version,
        "path": str(benchmark.path) if benchmark.path else None,
        "rule": resolution.rule if resolution else "path",
        "in_place_of": [str(candidate) for candidate in resolution.overridden] if resolution else [],
        "experimental": meta.is_alpha,
        "subtask": meta.subtask,
        "task": f"{meta.module_path}:{meta.function_name}",
        "parameters": [asdict(p) for p in signature.parameters.values()] if signature else None,
        "dataset": {**asdict(meta.dataset), "pinned": meta.dataset.pinned} if meta.dataset else None,
        "samples": meta.samples,
        "sample_rows": benchmark.samples_directory() is not None,
        "primary_metric": meta.primary_metric,
        "higher_is_better": meta.higher_is_better,
        "languages": list(meta.languages),
        "needs": list(meta.needs),
        "notes": list(meta.notes),
        "homepage": meta.homepage,
        "paper": meta.paper,
    }


def _group(catalog: Catalog, group: Group) -> dict[str, Any]:
    return {
        "key": group.key,
        "name": group.value.name,
        "description": group.value.description,
        "category": group.value.category,
        "distribution": group.distribution,
        "version": group.version,
        "benchmarks": list(group.value.benchmarks),
        "missing": catalog.missing(group),
    }


def _text(described: dict[str, Any]) -> str:
    head = [f"{described['key']}: {described['name']}", *wrapped(described["description"], 0, 0), ""]
    lines = [f"{label:<14}{value}" for label, value in _facts(described) if value]
    lines = [part for line in lines for part in (wrapped(line, 0, 14) if line.startswith("note") else [line])]
    return "\n".join([*head, *lines])


def _facts(described: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return the facts as pairs of label and text. Unknown facts are omitted, but a missing pin is shown."""
    if "benchmarks" in described:
        origin = f"{described['distribution']} {described['version']}"
        return [
            ("from", origin),
            ("category", described["category"]),
            ("benchmarks", ", ".join(described["benchmarks"])),
            ("missing", described["missing"] and f"{', '.join(described['missing'])}: not installed"),
        ]
    direction = "higher is better" if described["higher_is_better"] else "lower is better"
    return [
        ("from", described["path"] or f"{described['distribution']} {described['version']}"),
        ("in place of", ", ".join(described["in_place_of"])),
        ("experimental", "yes; run it with --alpha" if described["experimental"] else ""),
        ("category", described["category"]),
        ("tags", ", ".join(described["tags"])),
        *_dataset_facts(described["dataset"]),
        ("samples", described["samples"] and f"{described['samples']:,}"),
        ("metric", f"{described['primary_metric']} ({direction})"),
        ("languages", ", ".join(described["languages"])),
        ("needs", ", ".join(described["needs"])),
        *(("note", note) for note in described["notes"]),
        ("offline", "bench eval --sample runs the sample rows of the package" if described["sample_rows"] else ""),
        ("homepage", described["homepage"]),
        ("paper", described["paper"]),
        ("task", described["task"]),
        ("arguments", _parameters(described["parameters"])),
    ]


def _dataset_facts(dataset: dict[str, Any] | None) -> list[tuple[str, Any]]:
    if dataset is None:
        return [("dataset", "not declared, so whether it is pinned is unknown")]
    where = " ".join(part for part in (dataset["source"], dataset["config"], dataset["split"]) if part)
    digest = f"sha256 {dataset['sha256']}" if dataset["sha256"] else f"md5 {dataset['md5']}"
    pin = dataset["revision"] or digest
    unpinned = "none: the source may change under this benchmark"
    return [
        ("dataset", where),
        ("pin", pin if dataset["pinned"] else unpinned),
        ("real rows", _verified(dataset)),
        ("licence", dataset["licence"]),
    ]


def _verified(dataset: dict[str, Any]) -> str:
    if dataset["verified"]:
        return f"rows verified ({dataset['verified']:,})"
    own = dataset["type"] != "hf" and "://" not in dataset["source"]  # a local file needs no check
    return "" if own else "schema unverified"


def _parameters(parameters: list[dict[str, Any]] | None) -> str:
    if parameters is None:
        return "not known before it is imported"
    values = {p["name"]: "VALUE (required)" if p["default"] is None else p["default"] for p in parameters}
    return f"\n{'':<14}".join(f"-T {name}={value}" for name, value in values.items()) or "none"
