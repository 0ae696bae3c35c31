"""Scorers and solvers by name: short names with provenance and conflicts as benchmarks have them, files, inspect's."""

from openbench.registry.components.component import METADATA_KEY, Component, provenance
from openbench.registry.components.find import component_names, find_component
from openbench.registry.components.offers import KINDS, Kind
from openbench.registry.components.survey import survey

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
