"""MMLU, MMLU-Pro and MMLU-Redux for openbench."""
