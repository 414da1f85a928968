"""The domain: everything Tacho knows, free of HTTP, containers and process control."""
