"""click only, one file a command: parse, call one workflow, hand the result to reports, set the exit code."""
