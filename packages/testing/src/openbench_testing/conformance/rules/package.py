"""A benchmark's metadata and registration."""

from openbench.metadata import BenchmarkMetadata
from openbench_testing.conformance.evidence import Evidence
from openbench_testing.conformance.outcome import InapplicableError


def metadata(evidence: Evidence) -> str | None:
    """Metadata is complete, and pins the rows."""
    own = evidence.metadata
    lacking = [name for name, present in _needed(own).items() if not present]
    if lacking:
        return f"its BenchmarkMetadata lacks {', '.join(lacking)}. Add them."
    source = own.dataset
    if source and not source.pinned:
        given = f"revision {source.revision!r}" if source.revision else "no revision and no sha256"
        return (
            f"its rows are not pinned: the dataset {source.source} has {given}. Pin it with the 40 hex digits of a "
            "commit (revision=...), or the sha256 of a file."
        )
    if source and source.sha256 and evidence.local_sha256 not in {None, source.sha256}:
        return (
            f"the rows in {source.source} are not the pinned ones: their sha256 is {evidence.local_sha256}. Update the "
            "pin and the version, or restore the rows."
        )
    return None


def light(evidence: Evidence) -> str | None:
    """Importing the metadata is cheap and does not use the network."""
    effects = evidence.light
    if effects is None:
        raise InapplicableError("the metadata of a local eval is in the same file as its task")
    rule = "It may import the standard library and openbench.metadata only."
    if effects.sockets:
        return f"the metadata of {evidence.distribution} uses the network ({effects.sockets[0]}). {rule}"
    if effects.imported:
        return f"the metadata of {evidence.distribution} imports {' and '.join(effects.imported)}. {rule}"
    if effects.error:
        return f"the metadata of {evidence.distribution} cannot be imported on its own: {effects.error}. {rule}"
    return None


def registry(evidence: Evidence) -> str | None:
    """Names in Inspect's registry are those that a wheel gives, and Inspect finds them."""
    if evidence.distribution is None:
        raise InapplicableError("a local eval belongs to no distribution")
    if evidence.package not in evidence.plugins:
        found = f"found {', '.join(evidence.plugins)}" if evidence.plugins else "found none"
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
                f"{name!r} is registered without its package; a wheel gives {evidence.package}/{name}. inspect finds "
                f"packages in site-packages, and editable installs whose distribution has the package's name. Install "
                f"the wheel, or name the distribution {evidence.package.replace('_', '-')}."
            )
    return None


def _needed(own: BenchmarkMetadata) -> dict[str, bool]:
    return {
        "description": bool(own.description.strip()),
        "category": bool(own.category.strip()),
        "tags": bool(own.tags),
        "dataset": own.dataset is not None,
        "samples": bool(own.samples),
        "languages": bool(own.languages),
        "homepage or paper": bool(own.homepage or own.paper),
    }
