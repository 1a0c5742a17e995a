"""The commands: each module lists its own in `COMMANDS`."""
