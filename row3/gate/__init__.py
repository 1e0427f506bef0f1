"""Judge a scorecard against a baseline: verdict and reasons. Pure."""
