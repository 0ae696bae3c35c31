"""The command `bench fork`."""

from pathlib import Path
from typing import Annotated

import typer

from openbench.errors import UsageError
from openbench.registry.benchmark import find_benchmark
from openbench.registry.catalog import Catalog
from openbench_testing.fork.files import fork_files
from openbench_testing.new.command import show_next_steps
from openbench_testing.new.folder import write_folder
from openbench_testing.new.names import check_directory, check_distribution, check_overrides, dashed, team


def command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A benchmark's name, or name@distribution.")],
    distribution: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name of the new package; TEAM-ORIGINAL by default.")
    ] = None,
    directory: Annotated[
        str | None, typer.Option(metavar="PATH", help="Directory to create; ./DISTRIBUTION by default.")
    ] = None,
) -> None:
    """Create a package that overrides an installed benchmark, from the benchmark's own source.

    The new package has a copy of the original's code, samples and goldens under its own import package, and overrides
    the original once it is installed.
    """
    benchmark = find_benchmark(Catalog.installed(), name)
    original = benchmark.distribution
    if original is None:
        raise UsageError(f"{name}: a local eval cannot be forked. Copy its file, or create a package with bench new.")
    chosen = check_distribution(distribution or f"{team()}-{dashed(original)}")
    check_overrides(original, name=benchmark.key, distribution_name=chosen)
    folder = Path(check_directory(directory or chosen))
    files = fork_files(benchmark, chosen)
    write_folder(folder, files)
    show_next_steps(benchmark.key, chosen, folder, len(files))
