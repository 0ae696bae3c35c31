"""Finds scorers and solvers by name: short names, files, and names in Inspect's registry."""

from openbench_components.components import Component, component_names, find_component, provenance

__all__ = ["Component", "component_names", "find_component", "provenance"]
