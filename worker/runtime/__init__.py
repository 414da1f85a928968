"""Runs services during a trial: in Docker pods or as plain processes, behind one Protocol."""
