"""Cases on their way through a suite's prompts by their recordings: rendered, answered, read, scored, sent on."""
