"""Checks services without a running Tacho: build, start, contract, three seconds of load."""
