"""Every suite of a project judged in one command."""
