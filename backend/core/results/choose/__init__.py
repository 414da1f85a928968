"""Choosing a framework: one recommendation from the results of several criteria."""
