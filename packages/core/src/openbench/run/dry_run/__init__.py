"""What a plan would ask of models, and what that would cost; nothing is asked."""

from openbench.run.dry_run.dry_run import dry_run
from openbench.run.dry_run.estimate import Cost, Estimate, First
from openbench.run.dry_run.prices import Price, parse_price

__all__ = ["Cost", "Estimate", "First", "Price", "dry_run", "parse_price"]
