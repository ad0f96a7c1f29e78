"""What expressions such as "next Friday" mean: languages, rules, stretches of the calendar."""
