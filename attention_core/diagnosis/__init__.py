"""Diagnosis: which mistake gives exactly these numbers."""
