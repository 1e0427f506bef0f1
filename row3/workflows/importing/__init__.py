"""`row3 cases import` and `row3 import`: tables, JSON Lines and files of other tools as golden cases."""
