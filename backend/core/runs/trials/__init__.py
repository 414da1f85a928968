"""Trials: their order, claims, stages and ends, and the locks of their hosts."""
