"""Compare a run with its baseline: changes, gains and losses, and the gate's verdict."""
