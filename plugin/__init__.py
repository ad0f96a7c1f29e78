"""Entry points of the hot path: the HTTP service, the gateway plugin, the command line."""
