"""The recording of the bench: a file of JSON lines that exists only while somebody records."""

import json
import os

RECORDING = "/srv/reference/recording.jsonl"


def active():
    return os.path.exists(RECORDING)


def append(entry):
    """Adds one line in one write; a recording that has ended meanwhile stays ended."""
    try:
        recording = os.open(RECORDING, os.O_WRONLY | os.O_APPEND)
    except FileNotFoundError:
        return
    try:
        os.write(recording, (json.dumps(entry) + "\n").encode())
    finally:
        os.close(recording)
