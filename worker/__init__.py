"""Runs trials on a bench host: claims them, sends the load and stores the results."""
