"""The load generator: k6 with Tacho's output, built once, run as a process, read line by line."""
