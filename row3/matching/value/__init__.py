"""Names that are values: numbers, money, percentages, dates, times and quantities, compared by what they are."""
