"""Files made to hurt: small on disk, huge once they are read."""
