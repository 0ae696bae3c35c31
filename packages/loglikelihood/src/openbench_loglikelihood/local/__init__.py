"""The local engine: a transformers model in this process. Only this folder imports torch."""
