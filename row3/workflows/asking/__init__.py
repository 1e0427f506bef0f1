"""Cases asked at a provider: estimated, paced, capped in cost, kept the moment an answer arrives."""
