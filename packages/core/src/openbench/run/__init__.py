"""Runs plans: what to evaluate (`plan`), where to run it (`executor`), and the results (`summary`)."""
