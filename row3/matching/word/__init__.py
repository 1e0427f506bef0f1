"""Words: which look-alikes are misspellings and which are other words."""
