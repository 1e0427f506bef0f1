"""Names that are values: numbers, money, percentages, dates, times and quantities."""
