"""What inspect finds through the `inspect_ai` entry point: every task of the package."""

from openbench_qa.closed_book import nq_open, triviaqa
from openbench_qa.pubmedqa import pubmedqa
from openbench_qa.reading import drop, hotpotqa, squad_v2

__all__ = ["drop", "hotpotqa", "nq_open", "pubmedqa", "squad_v2", "triviaqa"]
