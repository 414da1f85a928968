"""What a trial consumes: CPU, memory and threads by role, once a second."""
