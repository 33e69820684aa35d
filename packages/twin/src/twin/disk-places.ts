/** placeDisk: the volumes, files and mirrors of a disk on the simulated machines of its nodes. */
import type { Snapshot } from "@ganeti-ts/config";
import type { NodeUuid, RealDisk, RealInstance } from "@ganeti-ts/protocol";
import { type HostState, type SharedState, setEntry, setVolume } from "@ganeti-ts/simulated-nodes";

export interface DiskPlaces {
  readonly now: Snapshot;
  readonly hosts: ReadonlyMap<NodeUuid, HostState>;
  readonly shared: SharedState;
}

/** Volumes get no physical volumes yet: see `giveFigures`. @param runsOn the node on which its instance runs */
export function placeDisk(
  { now, hosts, shared }: DiskPlaces,
  instance: RealInstance,
  disk: RealDisk,
  runsOn: NodeUuid | undefined,
): void {
  const { dev_type: type, logical_id: id, size: sizeMib } = disk;
  const isOpen = instance.disks_active || runsOn !== undefined;
  const info = `originstname+${instance.name}`;
  const primary = hosts.get(instance.primary_node);
  switch (type) {
    case "plain":
      placeVolume(primary, disk, { info, open: isOpen });
      break;
    case "drbd":
      for (const at of [0, 1] as const) {
        const host = hosts.get(id[at] as NodeUuid);
        if (host === undefined) continue;
        for (const child of disk.children) placeVolume(host, child, { info, open: isOpen });
        placeMirror(host, disk, at, { isOpen, isPrimary: runsOn === id[at] });
      }
      break;
    case "file": {
      if (primary === undefined) break;
      const path = String(id[1]);
      const directory = path.slice(0, path.lastIndexOf("/"));
      const { directories, disks } = primary.fileSystem;
      if (!directories.includes(directory)) directories.push(directory);
      disks[path] = { sizeMib, info };
      break;
    }
    case "blockdev":
      for (const { uuid } of groupNodes(now, instance)) {
        const host = hosts.get(uuid);
        if (host !== undefined) host.devices[String(id[1])] = sizeMib;
      }
      break;
    default:
      shared.disks[`${type} ${id.join(" ")}`] = { sizeMib, info };
      if (type === "ext") provideExternal(hosts, String(id[0]));
  }
}

/** Devices that are adopted are visible on all nodes of the instance's group. */
function groupNodes(now: Snapshot, { primary_node }: RealInstance) {
  const node = now.node(primary_node);
  return node === undefined ? [] : now.nodesOfGroup(node.group);
}

function placeVolume(
  host: HostState | undefined,
  { logical_id, size: sizeMib }: Pick<RealDisk, "logical_id" | "size">,
  state: { readonly info: string; readonly open: boolean },
): void {
  if (host === undefined) return;
  const [group, name] = logical_id.map(String) as [string, string];
  host.volumeGroups[group] ??= { physicalVolumes: {}, volumes: {} };
  setVolume(host.volumeGroups[group], name, { sizeMib, pieces: [], ...state });
}

function placeMirror(
  host: HostState,
  { logical_id: id, size: sizeMib, children }: RealDisk,
  at: 0 | 1,
  { isOpen, isPrimary }: { readonly isOpen: boolean; readonly isPrimary: boolean },
): void {
  setEntry(host.drbd, String(id[3 + at]), {
    up: isOpen,
    port: Number(id[2]),
    peer: String(id[1 - at]),
    secret: String(id[5]),
    sizeMib,
    primary: isPrimary,
    connects: isOpen,
    multimaster: false,
    data: "uptodate",
    children: children.map((child) => `${child.dev_type} ${child.logical_id.join("/")}`),
    syncedMib: sizeMib,
    syncingSince: null,
    paused: false,
  });
}

function provideExternal(hosts: ReadonlyMap<NodeUuid, HostState>, name: string): void {
  for (const { extStorage } of hosts.values()) {
    if (extStorage.some((one) => one.name === name)) return;
    extStorage.push({
      name,
      path: `/usr/share/ganeti/extstorage/${name}`,
      valid: true,
      fault: "",
      parameters: [],
    });
  }
}
