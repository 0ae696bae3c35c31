"""Gates: rules that a model's logs must hold, such as being no worse than a baseline."""
