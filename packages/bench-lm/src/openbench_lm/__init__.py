"""Language modelling by log-probability: last words, grammatical sentences and whole texts."""
