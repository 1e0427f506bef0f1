"""Run a suite: line up prompts, render, ask or replay, score, collect."""
