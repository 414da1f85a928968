"""Measurements of a trial, the error of the instrument, and the statistics of comparisons."""
