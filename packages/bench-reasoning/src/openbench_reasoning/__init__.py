"""Abstract and logical reasoning: ARC-AGI-1, ARC-AGI-2 and GridPuzzle."""
