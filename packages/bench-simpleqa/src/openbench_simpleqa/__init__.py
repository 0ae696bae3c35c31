"""SimpleQA: short factual questions, each with one answer that does not change over time, graded by a model."""
