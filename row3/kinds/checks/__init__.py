"""Assertions on any answer: text, numbers, JSON, an operation, or a judge's grade (STRATEGY's three tiers)."""
