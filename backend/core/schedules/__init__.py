"""Schedules: runs that are asked for by the clock, and a watch over their results."""
