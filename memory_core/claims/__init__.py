"""Pure: what two statements say of each other: the same, more, something that took its place, or nothing."""
