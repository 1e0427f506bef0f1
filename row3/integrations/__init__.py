"""Where finished runs go and production's records come from; each integration is an extra of its own."""
