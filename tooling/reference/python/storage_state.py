"""State of the stand-ins for LVM and DRBD: one file for all virtual nodes, since mirrors see each other.

A node has one volume group on one physical volume. Sizes are in KiB and multiples of an extent.
"""

import contextlib
import fcntl
import json
import os

STATE = "/srv/devices/state.json"
GROUP = "xenvg"
PHYSICAL = "/dev/sda3"
EXTENT_KIB = 4096
GROUP_KIB = 100 * 1024 * 1024
NODE = os.environ.get("GANETI_HOSTNAME", "")


@contextlib.contextmanager
def opened():
    """The state, under a lock; what the caller changes is stored."""
    with open(STATE, "a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        text = file.read()
        state = json.loads(text) if text else {"volumes": {}, "mirrors": {}, "metadata": {}, "devices": 0, "locked": []}
        yield state
        changed = json.dumps(state)
        if changed != text:
            file.seek(0)
            file.truncate()
            file.write(changed)


def volumes(state):
    """Logical volumes of this node by name."""
    return state["volumes"].setdefault(NODE, {})


def mirrors(state):
    """DRBD devices of this node by minor, as text."""
    return state["mirrors"].setdefault(NODE, {})


def free_kib(state):
    return GROUP_KIB - sum(volume["sizeKib"] for volume in volumes(state).values())


def device_path(name):
    return f"/dev/{GROUP}/{name}"
