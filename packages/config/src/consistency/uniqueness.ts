/** Uniqueness checks: names, addresses, ports, minors, volumes. Each check is O(log n). */

import type { DiskUuid } from "@ganeti-ts/protocol";
import { type ClaimedNames, namesOfClaim } from "../claims.js";
import { filledNicparams } from "../filling.js";
import type { Snapshot } from "../snapshot.js";

/** The two parts of an index entry's suffix. */
const halves = (rest: string): readonly [string, string] => {
  const at = rest.indexOf("\0");
  return at < 0 ? [rest, ""] : [rest.slice(0, at), rest.slice(at + 1)];
};

/** The instance or claim that owns the NIC or the port. */
function ownerOf(now: Snapshot, uuid: string): ClaimedNames | undefined {
  const claim = now.get("claim", uuid);
  return claim === undefined ? now.get("instance", uuid) : namesOfClaim(claim);
}

function labelOf(now: Snapshot, uuid: string): string {
  const claim = now.get("claim", uuid);
  if (claim !== undefined) return `claim ${uuid} of job ${claim.job}`;
  return now.get("instance", uuid)?.name ?? uuid;
}

const nameTitles = {
  node: "node",
  group: "node group",
  instance: "instance",
  network: "network",
} as const;

/** Names that differ only in case count as different. */
export function nameFaults(
  now: Snapshot,
  type: keyof typeof nameTitles,
  { name }: { readonly name?: string | undefined },
): readonly string[] {
  if (name === undefined) return [];
  const others = now
    .keysOf("name", type, name.toLowerCase())
    .filter((uuid) => now.get(type, uuid)?.name === name);
  const claims =
    type === "instance"
      ? now
          .keysOf("name", "claim", name.toLowerCase())
          .filter((uuid) => ownerOf(now, uuid)?.name === name)
      : [];
  return others.length + claims.length > 1 ? [`duplicate ${nameTitles[type]} name '${name}'`] : [];
}

export function macFaults(now: Snapshot, mac: string): readonly string[] {
  const [, ...others] = now.keysOf("mac", mac.toLowerCase()).map(halves);
  return others.map(([uuid, at]) => {
    const own = ownerOf(now, uuid)?.nics[Number(at)]?.mac;
    return `instance '${labelOf(now, uuid)}' has NIC ${at} mac ${own} duplicate`;
  });
}

export function portFaults(now: Snapshot, port: number): readonly string[] {
  const owners = now.keysOf("port", port).map((uuid) => portOwner(now, uuid));
  for (const free of now.cluster.tcpudp_port_pool) {
    if (free === port) owners.push("cluster/port marked as free");
  }
  return owners.length > 1 ? [`tcp/udp port ${port} has duplicates: ${owners.join(", ")}`] : [];
}

function portOwner(now: Snapshot, uuid: string): string {
  if (now.get("claim", uuid) !== undefined) return `${labelOf(now, uuid)}/port`;
  if (now.get("instance", uuid) !== undefined) return `${labelOf(now, uuid)}/network port`;
  const [owner] = now.keysOf("attached", uuid);
  const instance = owner === undefined ? undefined : now.get("instance", owner);
  if (instance === undefined) return `disk ${uuid}/drbd disk`;
  const at = instance.disks.indexOf(uuid as DiskUuid);
  return `${instance.name ?? instance.uuid}/drbd disk ${at}`;
}

export function highestPortFaults(now: Snapshot, ports: readonly number[]): readonly string[] {
  const computed = ports.reduce((a, b) => Math.max(a, b), 0);
  const saved = now.cluster.highest_used_port;
  if (computed <= saved) return [];
  return [`Highest used port mismatch, saved ${saved}, computed ${computed}`];
}

type IdPart = string | number | null | undefined;

export function minorFaults(now: Snapshot, node: IdPart, minor: IdPart): readonly string[] {
  if (node == null || minor == null) return [];
  const disks = now.keysOf("minor", node, minor);
  if (disks.length < 2) return [];
  const name = now.get("node", String(node))?.name ?? node;
  return [`DRBD minor ${minor} on node '${name}' is used by several disks: ${disks.join(", ")}`];
}

export function volumeFaults(now: Snapshot, node: string, volume: string): readonly string[] {
  const disks = now.keysOf("lv", node, volume);
  if (disks.length < 2) return [];
  const name = now.get("node", node)?.name ?? node;
  return [
    `logical volume ${volume} on node '${name}' is used by several disks: ${disks.join(", ")}`,
  ];
}

const linkKinds = { bridged: "bridge", routed: "route", openvswitch: "ovs", ext: "ext" } as const;

/** An address may be used once on each link; nodes and the master address share one link. */
export function addressFaults(now: Snapshot, ip: string): readonly string[] {
  const found = now.keysOf("ip", ip).map(halves);
  if (found.length + (ip === now.cluster.master_ip ? 1 : 0) < 2) return [];
  const owners = new Map<string, string[]>();
  const add = (key: string, owner: string) => owners.set(key, [...(owners.get(key) ?? []), owner]);
  if (ip === now.cluster.master_ip) add(ip, "cluster_ip");
  for (const [uuid, which] of found) {
    const owner = ownerOf(now, uuid);
    const nic = owner?.nics[Number(which)];
    if (owner === undefined || nic === undefined) {
      add(ip, `node:${now.get("node", uuid)?.name}/${which}`);
      continue;
    }
    const { mode, link } = filledNicparams(now, owner, nic);
    const key = `${linkKinds[mode]}:${link}/${ip}/${nic.network ?? "None"}`;
    add(key, `instance:${labelOf(now, uuid)}/nic:${which}`);
  }
  return [...owners]
    .filter(([, names]) => names.length > 1)
    .map(([key, names]) => `IP address ${key} is used by multiple owners: ${names.join(", ")}`);
}
