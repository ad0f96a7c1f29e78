"""The real OpenClaw gateway in tests: installed from npm, given a scripted model, driven over its own protocols."""
