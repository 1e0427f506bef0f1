"""The judge's warranty: labels, calibration, and two judges beside each other."""
