"""The domain logic of Tacho, without HTTP, containers and process control."""
