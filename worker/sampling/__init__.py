"""Samples CPU, memory and threads of a trial once a second, by role."""
