"""Checks services without a running Tacho: build, start, contract and three seconds of load."""
