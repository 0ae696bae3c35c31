"""Model providers that speak OpenAI's API and that inspect-ai lacks, as one table."""
