"""Coding agents: one command sets memtend up in them, and the hooks they call.

recall_hook   what is handed to an agent with a person's prompt; on the hot path
capture_hook  what a person said that is worth remembering, into the inbox
jsonc, toml   lossless edits of an agent's own files: nothing else changes
plugin        what memtend writes for agents whose hooks are code; the files lie in plugins/
table         the agents, their files and formats
setup         from an agent to edits, a diff, and back
"""
