"""Pages that are made from the code when the site is built, so that they cannot be out of date."""
