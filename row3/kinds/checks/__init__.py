"""Kind `checks`: assertions on any answer, from text to a judge's grade (STRATEGY's three tiers)."""
