"""Pairwise comparisons of results, their ranks, and the sentences that describe them."""
