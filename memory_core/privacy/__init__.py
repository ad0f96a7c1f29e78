"""What may be kept, sent or shown."""
