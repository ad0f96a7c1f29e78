"""The service and the flows as a user meets them: the real gateway, the real tree, only the chat model is scripted."""
