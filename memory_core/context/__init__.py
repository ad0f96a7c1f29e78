"""The context engine: assembly, compaction window, working memory."""
