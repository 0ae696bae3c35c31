"""Abstract reasoning: ARC-AGI-1 and ARC-AGI-2."""
