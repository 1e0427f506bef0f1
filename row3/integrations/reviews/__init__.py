"""Reviews of production: what to look at weekly, what to add monthly, what to adjust quarterly (STANDARDS §8)."""
