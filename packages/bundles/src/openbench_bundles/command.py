"""`bench data`: the stored datasets of benchmarks."""

import typer

from openbench_bundles.pull import pull
from openbench_bundles.stored import ls, rm, verify
from openbench_bundles.transfer import export, import_

command = typer.Typer(
    help="Manage the stored datasets of benchmarks.\n\n"
    "A pinned dataset is fetched once, by the first run or by bench data pull, and is then read from the store without "
    "a network. OPENBENCH_DATA_DIR sets the directory of the store."
)
command.command("pull")(pull)
command.command("ls")(ls)
command.command("verify")(verify)
command.command("rm")(rm)
command.command("export")(export)
command.command("import")(import_)
