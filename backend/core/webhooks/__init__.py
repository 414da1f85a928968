"""Webhooks: telling others' servers what happened, signed, until they have heard it."""
