"""SimpleQA: short questions of fact, each with one answer that does not change, graded by a model."""
