"""A package's metadata of its benchmark, and its registration."""

from openbench.metadata import BenchmarkMetadata
from openbench_testing.conformance.evidence import Evidence
from openbench_testing.conformance.outcome import InapplicableError


def metadata(evidence: Evidence) -> str | None:
    """Metadata is complete for tables and readers, and pins the rows."""
    said = evidence.metadata
    lacking = [name for name, there in _needed(said).items() if not there]
    if lacking:
        return f"its BenchmarkMetadata says nothing of {', '.join(lacking)}. Fill them in."
    source = said.dataset
    if source and not source.pinned:
        given = f"revision {source.revision!r}" if source.revision else "no revision and no sha256"
        return (
            f"its rows can change under it: the dataset {source.source} has {given}. Pin it with the 40 hex digits of "
            "a commit (revision=...), or the sha256 of a file."
        )
    if source and source.sha256 and evidence.brought not in {None, source.sha256}:
        return (
            f"the rows that it brings in {source.source} are not the pinned ones: their sha256 is {evidence.brought}. "
            "Pin them anew, with a new version, or restore them."
        )
    return None


def light(evidence: Evidence) -> str | None:
    """Importing the metadata is cheap and does not use the network."""
    told = evidence.light
    if told is None:
        raise InapplicableError("the metadata of a local eval stands beside its task")
    rule = "It may import the standard library and openbench.metadata only."
    if told.sockets:
        return f"the metadata of {evidence.distribution} uses the network ({told.sockets[0]}). {rule}"
    if told.imported:
        return f"the metadata of {evidence.distribution} imports {' and '.join(told.imported)}. {rule}"
    if told.error:
        return f"the metadata of {evidence.distribution} cannot be imported on its own: {told.error}. {rule}"
    return None


def registry(evidence: Evidence) -> str | None:
    """Names in Inspect's registry are those that a wheel gives, and Inspect finds them by itself."""
    if evidence.distribution is None:
        raise InapplicableError("a local eval belongs to no distribution")
    if evidence.package not in evidence.plugins:
        found = f"it has {', '.join(evidence.plugins)}" if evidence.plugins else "it has none"
        return (
            f"{evidence.distribution} needs an inspect_ai entry point named {evidence.package}; {found}. Add "
            f'[project.entry-points.inspect_ai] {evidence.package} = "{evidence.package}._registry".'
        )
    built = evidence.builds[0]
    if built.task is None:
        return f"{evidence.metadata.function_name} is not registered. Decorate it with @task."
    own = [name for name, module in built.scorers if module.partition(".")[0] == evidence.package]
    for name in (built.task, *own):
        if not name.startswith(f"{evidence.package}/"):
            return (
                f"{name!r} is registered without its package; a wheel gives {evidence.package}/{name}. inspect knows "
                f"what lies in site-packages, and editable installs of a distribution named like the package. Install "
                f"it from its wheel, or name the distribution {evidence.package.replace('_', '-')}."
            )
    return None


def _needed(said: BenchmarkMetadata) -> dict[str, bool]:
    return {
        "description": bool(said.description.strip()),
        "category": bool(said.category.strip()),
        "tags": bool(said.tags),
        "dataset": said.dataset is not None,
        "samples": bool(said.samples),
        "languages": bool(said.languages),
        "homepage or paper": bool(said.homepage or said.paper),
    }
