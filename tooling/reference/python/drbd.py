"""Stand-ins for drbdsetup and drbdmeta of DRBD 8.4, and the text of /proc/drbd that the kernel would show.

Two devices are connected when the addresses of each are those of the other, exchanged. A disk that is not up to date
is synchronised from one that is, in SYNC_S seconds, of which none pass while the file HOLD exists. Data is not copied:
there is none.
"""

import os
import re
import sys
import time

from storage_state import NODE, mirrors, opened

SYNC_S = 2.0
HOLD = "/srv/devices/hold"
VERSION = "version: 8.4.11 (api:1/proto:86-101)"


class Refused(Exception):
    """An error of DRBD: its text goes to stderr, the exit status is `status`."""

    def __init__(self, text, status=10):
        super().__init__(text)
        self.status = status


def drbdmeta(arguments):
    """`drbdmeta [--force] DEVICE v08 META flex-external create-md|apply-al`: new metadata is not up to date."""
    *_, meta, _, command = arguments
    if command == "create-md":
        with opened() as state:
            state["metadata"][f"{NODE} {meta}"] = False
        print("New drbd meta data block successfully created.")
    return 0


def drbdsetup(arguments):
    command, *rest = arguments
    try:
        with opened() as state:
            follow(state)
            COMMANDS[command](state, rest)
    except Refused as error:
        print(error, file=sys.stderr)
        return error.status
    return 0


def proc_text():
    """What /proc/drbd of this node would contain."""
    with opened() as state:
        follow(state)
        lines = [VERSION, "srcversion: 0000000000000000000000"]
        for minor in sorted(mirrors(state), key=int):
            lines += status_lines(state, minor)
    return "\n".join(lines) + "\n"


# ---- devices


def minor_of(resource):
    return re.fullmatch(r"(?:resource)?(\d+)", resource).group(1)


def device(state, minor):
    found = mirrors(state).get(minor)
    if found is None:
        raise Refused(f"{minor}: Failure: (127) Device minor not allocated")
    return found


def peer_of(state, own):
    if own["net"] is None:
        return None
    wanted = own["net"][::-1]
    for devices in state["mirrors"].values():
        for other in devices.values():
            if other["net"] == wanted and other["secret"] == own["secret"]:
                return other
    return None


def current(state, own):
    return own["disk"] is not None and state["metadata"].get(own["key"], False)


def follow(state):
    """Brings the synchronisations up to the present."""
    now = time.time()
    held = os.path.exists(HOLD)
    for devices in state["mirrors"].values():
        for own in devices.values():
            if not is_target(state, own):
                own["since"] = None
            elif own["since"] is None:
                own["since"], own["done"] = now, 0.0
            else:
                if not held and not own["paused"] and not peer_of(state, own)["paused"]:
                    own["done"] += (now - own["since"]) / SYNC_S
                own["since"] = now
                if own["done"] >= 1:
                    state["metadata"][own["key"]] = True
                    own["since"] = None


def is_target(state, own):
    peer = peer_of(state, own)
    return peer is not None and own["disk"] is not None and not current(state, own) and current(state, peer)


def status_lines(state, minor):
    own = mirrors(state)[minor]
    peer = peer_of(state, own)
    connection, done = connection_of(state, own, peer)
    roles = f"{role(own)}/{role(peer)}"
    lines = [
        f"{int(minor):2d}: cs:{connection} ro:{roles} ds:{disk(state, own)}/{disk(state, peer)} {own['protocol']} r-----",
        "    ns:0 nr:0 dw:0 dr:0 al:0 bm:0 lo:0 pe:0 ua:0 ap:0 ep:1 wo:f oos:0",
    ]
    if done is not None:
        left = max(0, int((1 - done) * SYNC_S) + 1)
        lines.append(f"\t[=>..................] sync'ed: {done * 100:4.1f}% (1024/2048)K")
        lines.append(f"\tfinish: 0:00:{left:02d} speed: 1,024 (1,024) K/sec")
    return lines


def connection_of(state, own, peer):
    """State of the connection, and the part of a synchronisation that is done."""
    if peer is None:
        return ("StandAlone" if own["net"] is None else "WFConnection"), None
    for target, letter, word in ((own, "T", "Target"), (peer, "S", "Source")):
        if is_target(state, target):
            paused = own["paused"] or peer["paused"]
            return (f"PausedSync{letter}" if paused else f"Sync{word}"), target["done"]
    return "Connected", None


def role(one):
    return "Unknown" if one is None else "Primary" if one["primary"] else "Secondary"


def disk(state, one):
    if one is None:
        return "DUnknown"
    if one["disk"] is None:
        return "Diskless"
    return "UpToDate" if current(state, one) else "Inconsistent"


# ---- commands


def new_minor(state, arguments):
    empty = {"disk": None, "meta": None, "key": None, "net": None, "secret": None, "protocol": "C", "dual": False}
    empty.update(primary=False, paused=False, since=None, done=0.0)
    mirrors(state).setdefault(arguments[1], empty)


def attach(state, arguments):
    minor, data, meta, *_ = arguments
    own = device(state, minor)
    if own["disk"] is not None:
        raise Refused(f"{minor}: Failure: (124) Device is attached to a disk (use detach first)")
    own.update(disk=data, meta=meta, key=f"{NODE} {meta}")


def connect(state, arguments):
    resource, local, remote, *options = arguments
    minor = minor_of(resource)
    own = device(state, minor)
    if own["net"] is not None:
        raise Refused(f"{minor}: Failure: (125) Device has a net-config (use disconnect first)")
    values = dict(zip(options, options[1:]))
    own.update(
        net=[local, remote],
        secret=values.get("--shared-secret"),
        protocol=values.get("--protocol", "C"),
        dual="--allow-two-primaries" in options,
    )
    peer = peer_of(state, own)
    if peer is not None and peer["primary"] and own["primary"] and not own["dual"]:
        own["net"] = None
        raise Refused(f"{minor}: Failure: (102) Local address(port) already in use.")


def disconnect(state, arguments):
    for own in mirrors(state).values():
        if own["net"] == arguments[:2]:
            own["net"] = None
            return
    raise Refused("Failure: (158) Unknown resource")


def primary(state, arguments):
    minor, *options = arguments
    own = device(state, minor)
    peer = peer_of(state, own)
    if peer is not None and peer["primary"] and not own["dual"]:
        raise Refused(f"{minor}: State change failed: (-1) Multiple primaries not allowed by config", 11)
    if not current(state, own) and not (peer is not None and current(state, peer)):
        if "--force" not in options or own["disk"] is None:
            raise Refused(f"{minor}: State change failed: (-2) Need access to UpToDate data", 17)
        state["metadata"][own["key"]] = True
    own["primary"] = True


def secondary(state, arguments):
    device(state, arguments[0])["primary"] = False


def detach(state, arguments):
    own = device(state, arguments[0])
    peer = peer_of(state, own)
    if own["primary"] and not (peer is not None and current(state, peer)):
        raise Refused(f"{arguments[0]}: State change failed: (-2) Need access to UpToDate data", 17)
    own.update(disk=None, meta=None, key=None)


def down(state, arguments):
    mirrors(state).pop(minor_of(arguments[0]), None)


def pause(paused):
    def command(state, arguments):
        device(state, arguments[0])["paused"] = paused

    return command


def exists(state, arguments):
    device(state, arguments[0])


def show(state, arguments):
    """The configuration in the syntax of 8.4; nothing for a minor that is not configured."""
    own = mirrors(state).get(arguments[0])
    if own is None:
        return
    lines = [f"resource resource{arguments[0]} {{", "    options {", "    }", "    net {"]
    if own["dual"]:
        lines.append("        allow-two-primaries yes;")
    lines.append("    }")
    if own["net"] is not None:
        lines += ["    _remote_host {", f"        address {spaced(own['net'][1])};", "    }"]
    lines.append("    _this_host {")
    if own["net"] is not None:
        lines.append(f"        address {spaced(own['net'][0])};")
    lines += ["        volume 0 {", f"            device minor {arguments[0]};"]
    if own["disk"] is not None:
        lines += [f'            disk "{own["disk"]}";', f'            meta-disk "{own["meta"]}";']
    lines += ["        }", "    }", "}"]
    print("\n".join(lines))


def spaced(address):
    family, rest = address.split(":", 1)
    return f"{family} {rest}"


COMMANDS = {
    # A resource is its only device: both names are made again by every caller.
    "new-resource": lambda state, arguments: None,
    "new-minor": new_minor,
    "attach": attach,
    "connect": connect,
    "disconnect": disconnect,
    "disk-options": exists,
    "primary": primary,
    "secondary": secondary,
    "detach": detach,
    "down": down,
    "pause-sync": pause(True),
    "resume-sync": pause(False),
    "resize": exists,
    "show": show,
}
