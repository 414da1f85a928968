"""The queues of bench hosts: what waits in them, how long, and what limits them."""
