"""Numerical cut-offs, and why they are where they are."""

# Weights below exp(-REACH) = 4e-18 of the largest are left out.
REACH = 40.0
