"""OpenAI-compatible model providers that inspect-ai does not include, as one table."""
