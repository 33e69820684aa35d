/** Calls that change nothing. */
import {
  dataDirectory,
  diskLinkDirectory,
  type FigureCalls,
  type StorageKey,
  type StorageSpace,
} from "@ganeti-ts/node-calls";
import { uuidLike } from "./digest.js";
import { figuresOf, groupSizes, version } from "./figures.js";
import { fileSystemFree } from "./file-disk.js";
import type { HostState } from "./node-state.js";
import { type CallsOnHost, NodeFault } from "./site.js";
import { verify } from "./verification.js";
import { groupSpace, groupSpindles } from "./volume-group.js";
import { logicalVolumes } from "./volume-lists.js";

export const figureOperations: CallsOnHost<keyof FigureCalls> = {
  version: () => ({ protocol: version.protocol }),
  master_node_name({ host }) {
    const name = host.files[`${dataDirectory}/ssconf_master_node`]?.trim();
    if (name === undefined) {
      throw new NodeFault("Cluster configuration incomplete: ssconf_master_node is missing");
    }
    return name;
  },
  node_info: ({ host, seed }, { storage, hypervisors }) => ({
    bootId: bootIdOf(host, seed),
    storage: storage?.map((key) => spaceOf(host, key)) ?? null,
    hypervisors: hypervisors?.map(() => figuresOf(host)) ?? null,
  }),
  node_verify: verify,
  node_verify_light: verify,
  node_volumes: ({ host }) =>
    Object.entries(host.volumeGroups).flatMap(([volumeGroup, { volumes }]) =>
      Object.entries(volumes).flatMap(([name, { pieces }]) =>
        [...new Set(pieces.map(({ on }) => on))].map((on) => ({
          ...{ name, volumeGroup, physicalVolume: on },
          sizeMib: pieces.reduce((sum, piece) => sum + (piece.on === on ? piece.sizeMib : 0), 0),
        })),
      ),
    ),
  lv_list: ({ host }, { volumeGroups }) => logicalVolumes(host, volumeGroups),
  vg_list: ({ host }) => groupSizes(host),
  bdev_sizes: ({ host }, { paths }) => {
    const devices = new Map(Object.entries(host.devices));
    for (const { volumeGroup, name, sizeMib } of logicalVolumes(host, [])) {
      devices.set(`/dev/${volumeGroup}/${name}`, sizeMib);
    }
    return Object.fromEntries(
      paths.flatMap((path) => {
        const sizeMib = devices.get(path);
        return sizeMib === undefined ? [] : [[path, sizeMib] as const];
      }),
    );
  },
  bridges_exist({ host }, { bridges }) {
    const missing = bridges.filter((bridge) => !host.bridges.includes(bridge));
    if (missing.length > 0) throw new NodeFault(`Missing bridges ${missing.join(", ")}`);
  },
  drbd_helper: ({ host }) => host.drbdHelper,
  node_has_ip_address: (site, { address }) =>
    site.owns(address) || site.host.addresses.includes(address),
  get_file_info({ host }, { path }) {
    if (isDiskLink(host, path)) return { exists: true, sizeBytes: 0 };
    const content = host.files[path];
    return { exists: content !== undefined, sizeBytes: content?.length ?? 0 };
  },
};

/** The last one of each host: the watcher asks for it every few minutes. */
const bootIds = new WeakMap<HostState, { readonly text: string; readonly id: string }>();

/** Changes with each boot. */
function bootIdOf(host: HostState, seed: number): string {
  const text = `${seed} ${host.name} ${host.boots}`;
  const known = bootIds.get(host);
  if (known?.text === text) return known.id;
  const id = uuidLike(text);
  bootIds.set(host, { text, id });
  return id;
}

function spaceOf(host: HostState, { type, key, exclusive = false }: StorageKey): StorageSpace {
  const group = host.volumeGroups[key];
  switch (type) {
    case "lvm-vg": {
      const space = group && groupSpace(group, exclusive);
      return { type, name: key, size: space?.sizeMib ?? null, free: space?.freeMib ?? null };
    }
    case "lvm-pv": {
      if (group !== undefined && !exclusive) return { type, name: key, size: 0, free: 0 };
      const spindles = group && groupSpindles(group);
      return { type, name: key, size: spindles?.total ?? null, free: spindles?.free ?? null };
    }
    case "file":
    case "sharedfile":
    case "gluster":
      return { type, name: key, size: host.fileSystem.sizeMib, free: fileSystemFree(host) };
    default:
      return { type, name: key, size: null, free: null };
  }
}

/** Running instances have a link for each of their disks. */
function isDiskLink({ instances }: HostState, path: string): boolean {
  if (!path.startsWith(`${diskLinkDirectory}/`)) return false;
  const colon = path.lastIndexOf(":");
  const running = instances[path.slice(diskLinkDirectory.length + 1, colon)];
  return Number(path.slice(colon + 1)) < (running?.devices?.length ?? 0);
}
