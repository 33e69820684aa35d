"""Stand-ins for the programs of LVM that Ganeti's node daemon calls, with the output of the real ones.

A volume is a sparse file below /dev/xenvg. Nothing else of a device exists.
"""

import os
import re
import subprocess
import sys

from storage_state import EXTENT_KIB, GROUP, GROUP_KIB, PHYSICAL, NODE, device_path, free_kib, opened, volumes


class Refused(Exception):
    """An error of LVM: its text goes to stderr, the exit status is 5."""


def main(program, arguments):
    try:
        with opened() as state:
            PROGRAMS[program](state, arguments)
    except Refused as error:
        for line in str(error).splitlines():
            print(f"  {line}", file=sys.stderr)
        return 5
    return 0


# ---- listings


def listing(rows_of):
    def program(state, arguments):
        fields, separator, unit, names = parse_listing(arguments)
        rows = rows_of(state, unit)
        if names:
            rows = [row for name in names for row in selected(rows, name)]
        lines = ("  " + separator.join(row[field] for field in fields) for row in rows)
        # Rows that differ in no field that was asked for are one row.
        for line in dict.fromkeys(lines):
            print(line)

    return program


def parse_listing(arguments):
    fields, separator, unit, names = [], " ", "m", []
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        option, has_value, value = word.partition("=")
        if option in ("-o", "--options"):
            fields = (value if has_value else rest.pop(0)).split(",")
        elif word.startswith("-o"):
            fields = word[2:].split(",")
        elif option == "--separator":
            separator = value if has_value else rest.pop(0)
        elif option == "--units":
            unit = value if has_value else rest.pop(0)
        elif not word.startswith("-"):
            names.append(word)
    return fields, separator, unit, names


def selected(rows, name):
    """Rows of a volume group, or of the volume or physical volume with a path."""
    found = [row for row in rows if name in (row["vg_name"], row.get("path"))]
    if found or name == GROUP:
        return found
    if "/" not in name:
        raise Refused(f'Volume group "{name}" not found\nCannot process volume group {name}')
    raise Refused(f'Failed to find logical volume "{name.removeprefix("/dev/")}"')


def amount(kib, unit):
    return f"{kib:.2f}" if unit == "k" else f"{kib / 1024:.2f}"


def logical_rows(state, unit):
    return [
        {
            "path": device_path(name),
            "vg_name": GROUP,
            "lv_name": name,
            "lv_size": amount(volume["sizeKib"], unit),
            # Open, as by a running instance or a mirror: who uses a file is not known.
            "lv_attr": "-wi-ao----",
            "lv_kernel_major": "254",
            "lv_kernel_minor": str(volume["minor"]),
            "vg_extent_size": amount(EXTENT_KIB, unit),
            "stripes": "1",
            "devices": f"{PHYSICAL}(0)",
            "tags": ",".join(volume["tags"]),
        }
        for name, volume in sorted(volumes(state).items())
    ]


def group_rows(state, unit):
    row = {
        "vg_name": GROUP,
        "vg_free": amount(free_kib(state), unit),
        "vg_attr": "wz--n-",
        "vg_size": amount(GROUP_KIB, unit),
    }
    return [{**row, "name": row["vg_name"], "size": row["vg_size"]}]


def physical_rows(state, unit):
    free = free_kib(state)
    row = {
        "path": PHYSICAL,
        "pv_name": PHYSICAL,
        "vg_name": GROUP,
        "pv_free": amount(free, unit),
        "pv_used": amount(GROUP_KIB - free, unit),
        "pv_attr": "u--" if NODE in state["locked"] else "a--",
        "pv_size": amount(GROUP_KIB, unit),
    }
    # One row per volume and one for the free part; they differ in the name of the volume only.
    return [{**row, "lv_name": name} for name in [*sorted(volumes(state)), ""]]


# ---- changes


def lvcreate(state, arguments):
    options = [word for word in arguments if word.startswith("-")]
    group = origin = next(word for word in arguments if not word.startswith("-"))
    if "-s" in options:
        group = origin.removeprefix("/dev/").split("/")[0]
    if group != GROUP:
        raise Refused(f'Volume group "{group}" not found\nCannot process volume group {group}')
    size = next(int(word[2:-1]) * 1024 for word in options if re.fullmatch(r"-L\d+m", word))
    name = next(word[2:] for word in options if word.startswith("-n"))
    if name in volumes(state):
        raise Refused(f'Logical Volume "{name}" already exists in volume group "{GROUP}"')
    size = take(state, size)
    state["devices"] += 1
    volumes(state)[name] = {"sizeKib": size, "minor": state["devices"], "tags": []}
    if "-s" in options:
        # The whole origin, where LVM would copy what changes later.
        copy(origin, name)
    resize_file(name, size)
    print(f'  Logical volume "{name}" created.')


def take(state, size):
    """`size` in whole extents, if the group has that much."""
    extents = -(-size // EXTENT_KIB)
    available = free_kib(state) // EXTENT_KIB
    if extents > available:
        raise Refused(f'Volume group "{GROUP}" has insufficient free space ({available} extents): {extents} required.')
    return extents * EXTENT_KIB


def copy(source, name):
    subprocess.run(["cp", "--sparse=always", source, device_path(name)], check=True)


def resize_file(name, size):
    with open(device_path(name), "ab") as file:
        file.truncate(size * 1024)


def volume_named(state, path):
    name = path.removeprefix("/dev/").removeprefix(f"{GROUP}/")
    if name not in volumes(state):
        raise Refused(f'Failed to find logical volume "{path.removeprefix("/dev/")}"')
    return name, volumes(state)[name]


def has_some_node(state, name):
    """Volumes of several nodes with the same name, as under a mirror, are one file."""
    return any(name in own for own in state["volumes"].values())


def lvremove(state, arguments):
    name, _ = volume_named(state, arguments[-1])
    del volumes(state)[name]
    if not has_some_node(state, name):
        os.unlink(device_path(name))
    print(f'  Logical volume "{name}" successfully removed.')


def lvrename(state, arguments):
    _, old, new = arguments
    old, volume = volume_named(state, old)
    if new in volumes(state):
        raise Refused(f'Logical Volume "{new}" already exists in volume group "{GROUP}"')
    del volumes(state)[old]
    is_shared = has_some_node(state, old)
    volumes(state)[new] = volume
    if is_shared:
        # The other node keeps its file, and this one its data.
        copy(device_path(old), new)
    else:
        os.rename(device_path(old), device_path(new))
    print(f'  Renamed "{old}" to "{new}" in volume group "{GROUP}"')


def lvchange(state, arguments):
    option, *rest = arguments
    name, volume = volume_named(state, rest[-1])
    if option == "--addtag":
        volume["tags"].append(rest[0])
    elif option == "--deltag":
        volume["tags"].remove(rest[0])
    if option != "-ay":
        print(f"  Logical volume {GROUP}/{name} changed.")


def lvextend(state, arguments):
    added = next(int(word[1:-1]) for word in arguments if re.fullmatch(r"\+\d+k", word))
    name, volume = volume_named(state, next(word for word in arguments if word.startswith("/dev/")))
    added = take(state, added)
    if "--test" not in arguments:
        volume["sizeKib"] += added
        resize_file(name, volume["sizeKib"])
    print(f"  Logical volume {GROUP}/{name} successfully resized.")


def pvchange(state, arguments):
    # `--allocatable y PV`
    if NODE in state["locked"]:
        state["locked"].remove(NODE)
    if arguments[1] == "n":
        state["locked"].append(NODE)
    print(f'  Physical volume "{arguments[-1]}" changed\n  1 physical volume changed / 0 physical volumes not changed')


def vgreduce(_, arguments):
    selected(group_rows({"volumes": {}}, "m"), arguments[-1])
    print(f'  Volume group "{arguments[-1]}" is already consistent.')


PROGRAMS = {
    "lvs": listing(logical_rows),
    "vgs": listing(group_rows),
    "pvs": listing(physical_rows),
    "lvcreate": lvcreate,
    "lvremove": lvremove,
    "lvrename": lvrename,
    "lvchange": lvchange,
    "lvextend": lvextend,
    "pvchange": pvchange,
    "vgreduce": vgreduce,
}
