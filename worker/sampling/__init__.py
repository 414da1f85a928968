"""Reads CPU, memory and threads of a trial by role, once a second."""
