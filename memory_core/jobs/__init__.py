"""Work owed: a row written with the change that caused it, handed to the flow engine, polled by its id."""
