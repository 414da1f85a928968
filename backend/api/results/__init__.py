"""Nouns of results: answers, rankings, comparisons, leaderboards, studies, shared pages."""
