"""The verbs beside run and compare."""
