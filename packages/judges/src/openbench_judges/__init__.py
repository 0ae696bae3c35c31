"""Models that judge answers: a kernel (`prompts`, `verdicts`, `panel`, `pairs`, `agreement`) and judges built on it."""
