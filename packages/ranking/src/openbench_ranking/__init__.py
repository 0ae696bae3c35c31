"""Multiple choice by log-probability: the request to a model, its scorer and solver, and the styles of `MCQEval`."""
