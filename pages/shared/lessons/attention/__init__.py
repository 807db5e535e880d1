"""The ten steps of attention."""
