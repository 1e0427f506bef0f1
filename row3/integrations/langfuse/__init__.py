"""LangFuse: datasets, prompts, seeds from traces, and experiments."""
