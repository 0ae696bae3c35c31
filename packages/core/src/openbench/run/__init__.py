"""Runs plans: what to evaluate (`plan`), who runs it (`executor`), and what came of it (`summary`)."""
