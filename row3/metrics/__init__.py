"""Formulas: one module a family, each with its formula, shape, unit and source."""
