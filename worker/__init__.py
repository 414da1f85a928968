"""Runs trials on a bench host: claims them, drives the load, stores what was measured."""
