"""Names of persons: taken apart, and whether two can be one person's."""
