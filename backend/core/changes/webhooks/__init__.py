"""Webhooks: signed messages about events to other servers, repeated until they are accepted."""
