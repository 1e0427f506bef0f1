"""A small memory service over MCP: remember texts, recall them by words, by shared entities and by events."""
