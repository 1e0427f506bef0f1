"""Formulas, one module per family, each with shape, unit and source."""
