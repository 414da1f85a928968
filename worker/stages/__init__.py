"""The stages of a trial, which the pipeline and `make verify-service` run alike."""
