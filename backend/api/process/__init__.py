"""The connections, turns and event streams that the requests of one API process share."""
