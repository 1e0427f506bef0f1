"""Words: their forms, and which look-alikes are other words."""
