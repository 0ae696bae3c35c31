"""Question answering: with and without a passage, with aliases, and with questions that have no answer."""
