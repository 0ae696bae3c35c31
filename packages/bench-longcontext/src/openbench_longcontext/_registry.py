"""The objects that Inspect finds through the `inspect_ai` entry point: every task of the package, and its scorers."""

from openbench_longcontext.graphwalks import graphwalks, graphwalks_bfs, graphwalks_parents, graphwalks_scorer
from openbench_longcontext.infinitebench import infinitebench, infinitebench_scorer
from openbench_longcontext.metrics import exact
from openbench_longcontext.mrcr import mrcr_scorer, openai_mrcr, openai_mrcr_2n, openai_mrcr_4n, openai_mrcr_8n
from openbench_longcontext.niah import niah
from openbench_longcontext.ruler import ruler, ruler_scorer

__all__ = [
    "exact",
    "graphwalks",
    "graphwalks_bfs",
    "graphwalks_parents",
    "graphwalks_scorer",
    "infinitebench",
    "infinitebench_scorer",
    "mrcr_scorer",
    "niah",
    "openai_mrcr",
    "openai_mrcr_2n",
    "openai_mrcr_4n",
    "openai_mrcr_8n",
    "ruler",
    "ruler_scorer",
]
