// Joins conversion, reference and harness.
