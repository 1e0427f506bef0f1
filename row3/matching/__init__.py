"""Match extracted items to expected ones. Pure: the same input gives the same result."""
