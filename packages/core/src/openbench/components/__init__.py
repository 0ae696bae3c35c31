"""Scorers and solvers by name: short names with provenance and conflicts as benchmarks have them, files, inspect's."""

from openbench.components.component import METADATA_KEY, Component, provenance
from openbench.components.find import component_names, find_component
from openbench.components.offers import KINDS, Kind
from openbench.components.survey import survey

__all__ = [
    "KINDS",
    "METADATA_KEY",
    "Component",
    "Kind",
    "component_names",
    "find_component",
    "provenance",
    "survey",
]
