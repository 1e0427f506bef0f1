"""Kind `entities`: who and what a document speaks of, each once, with all its mentions (V7, component 2)."""
