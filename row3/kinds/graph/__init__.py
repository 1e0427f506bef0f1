"""Kind `graph`: what a document is connected with, and over what (V7, component 4)."""
