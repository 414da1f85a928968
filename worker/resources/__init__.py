"""Readers of resource counters of a control group, a process tree or a container engine."""
