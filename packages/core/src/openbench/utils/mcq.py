"""The published import path of the multiple-choice task factory."""

from openbench.tasks.mcq import MCQEval, MCQRecord, MCQSample

__all__ = ["MCQEval", "MCQRecord", "MCQSample"]
