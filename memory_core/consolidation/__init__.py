"""From the working buffer to memories."""
