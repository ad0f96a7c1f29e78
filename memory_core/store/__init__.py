"""Every SQL statement of the project; repositories take a database session and never commit."""
