/** Tree of all data of an instance's disk. */
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import { sizeText } from "@ganeti-ts/protocol";
import { type Entry, Ordered } from "../../tree.js";
import type { Shown } from "./shown-value.js";

type Entries = readonly Entry[];

/** `isTop`: a disk of the instance, not a child of one. */
export function diskTree(disk: JsonObject, at: number, isTop: boolean, shown: Shown): Ordered {
  const { dev_type, size, spindles, children } = disk;
  const title = isTop ? String(disk.iv_name ?? `disk ${shown(at)}`) : `child ${shown(at)}`;
  const shownSize = typeof size === "number" ? sizeText(size, "h") : shown(size);
  return new Ordered([
    [title, `${shown(dev_type)}, size ${shownSize}`],
    ...((isTop && spindles !== null ? [["spindles", shown(spindles)]] : []) as Entries),
    ...((isTop ? [["access mode", shown(disk.mode)]] : []) as Entries),
    ...placeEntries(disk, shown),
    ...sideEntries("on primary", dev_type, disk.pstatus, shown),
    ...sideEntries("on secondary", dev_type, disk.sstatus, shown),
    ["name", shown(disk.name)],
    ["UUID", shown(disk.uuid)],
    ...childEntries(children as JsonObject[], shown),
  ]);
}

const childEntries = (children: readonly JsonObject[], shown: Shown): Entries =>
  children.length === 0
    ? []
    : [["child devices", children.map((child, at) => diskTree(child, at, false, shown))]];

/** Location: for a mirror both nodes, for a volume its group. */
function placeEntries({ dev_type, logical_id, drbd_info }: JsonObject, shown: Shown): Entries {
  if (logical_id == null) return [];
  if (dev_type === "plain") return [["logical_id", (logical_id as Json[]).map(shown).join("/")]];
  const mirror = drbd_info as JsonObject | null | undefined;
  if (dev_type !== "drbd" || mirror == null) return [["logical_id", shown(logical_id)]];
  return [
    ["nodeA", `${shown(mirror.primary_node)}, minor=${shown(mirror.primary_minor)}`],
    ["nodeB", `${shown(mirror.secondary_node)}, minor=${shown(mirror.secondary_minor)}`],
    ["port", shown(mirror.port)],
  ];
}

/** Empty if the nodes were not queried, or the device was not found. */
function sideEntries(
  title: string,
  type: Json | undefined,
  status: Json | undefined,
  shown: Shown,
): Entries {
  if (!Array.isArray(status)) return [];
  const [path, major, minor] = status;
  const number = (value: Json | undefined) => (value == null ? "N/A" : shown(value));
  const found = `${shown(path)} (${number(major)}:${number(minor)})`;
  return [[title, found + conditionText(type, status, shown)]];
}

/** States of the node's own copy. */
const localDisk = { unknown: 3, faulty: 4 } as const;

function conditionText(type: Json | undefined, status: readonly Json[], shown: Shown): string {
  const [, , , percent, seconds, degraded, local] = status;
  if (type === "plain") return local === localDisk.faulty ? " *FAILED* (failed drive?)" : "";
  if (type !== "drbd") return "";
  const eta = seconds ? ` ETA ${shown(seconds)}s` : " ETA unknown";
  const sync =
    percent == null ? "in sync" : `*RECOVERING* ${Number(percent).toFixed(2).padStart(5)}%,${eta}`;
  const own =
    local === localDisk.faulty
      ? " *MISSING DISK*"
      : local === localDisk.unknown
        ? " *UNCERTAIN STATE*"
        : "";
  return ` ${sync}, status ${degraded ? "*DEGRADED*" : "ok"}${own}`;
}
