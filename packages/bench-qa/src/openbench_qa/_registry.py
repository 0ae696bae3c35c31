"""The objects that Inspect finds through the `inspect_ai` entry point: every task of the package."""

from openbench_qa.closed_book import nq_open, triviaqa
from openbench_qa.pubmedqa import pubmedqa
from openbench_qa.reading import drop, hotpotqa, squad_v2
from openbench_qa.simpleqa_verified import simpleqa_verified

__all__ = ["drop", "hotpotqa", "nq_open", "pubmedqa", "simpleqa_verified", "squad_v2", "triviaqa"]
