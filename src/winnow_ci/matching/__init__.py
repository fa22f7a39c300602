"""Turn hits into regions; other rooms decide what they mean."""
