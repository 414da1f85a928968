"""Removes builds, caches, base images and load generators that this bench host needs no more."""
