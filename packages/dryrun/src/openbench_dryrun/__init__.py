"""Estimates of an evaluation's requests, tokens and cost, without a request to any model."""
