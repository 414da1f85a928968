"""Pairwise comparisons of results, ranks in tie groups, and the sentences that describe them."""
