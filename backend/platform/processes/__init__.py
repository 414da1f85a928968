"""The parts of an installation as processes: started, supervised, drained and stopped."""
