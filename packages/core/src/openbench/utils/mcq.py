"""The published import path of the multiple-choice task factory."""

from openbench.tasks.mcq import MCQEval, MCQSample

__all__ = ["MCQEval", "MCQSample"]
