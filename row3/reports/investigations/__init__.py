"""The output of `row3 investigate`."""
