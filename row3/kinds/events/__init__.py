"""Kind `events`: what happened, was decided or promised in a document, and by whom (V7, component 1)."""
