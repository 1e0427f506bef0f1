"""Production decompositions: what they are read from, where they are kept, and the figures of them."""
