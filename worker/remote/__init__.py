"""Sends the load of a trial from other machines: load hosts."""
