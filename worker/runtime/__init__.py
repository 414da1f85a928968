"""Where services run during a trial: Docker pods or plain processes, behind one Protocol."""
