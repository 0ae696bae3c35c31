"""What a plan would ask of models, and what that would cost; nothing is asked."""

from openbench.run.dry_run.dry_run import dry_run
from openbench.run.dry_run.estimate import Cost, Estimate, First

__all__ = ["Cost", "Estimate", "First", "dry_run"]
