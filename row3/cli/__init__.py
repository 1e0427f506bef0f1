"""click only: parse, call one workflow, hand the result to reports, set the exit code."""
