"""Runs the stages of a trial, both for the pipeline and for `make verify-service`."""
