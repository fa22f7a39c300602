"""From where a source is published to files in the user's cache, by what is pinned; nothing of it is ever run."""
