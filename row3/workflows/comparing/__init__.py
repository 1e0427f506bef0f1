"""A run beside its baseline: what changed, what was gained and lost, and the gate's verdict."""
