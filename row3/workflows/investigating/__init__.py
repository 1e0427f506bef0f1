"""`row3 investigate`: why one case scored as it did."""
