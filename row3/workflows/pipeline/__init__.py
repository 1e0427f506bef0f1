"""Take cases through a suite's prompts: render, ask or replay, parse, score and collect."""
