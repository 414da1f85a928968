"""What a trial measured, the error of the instrument, and the statistics of comparisons."""
