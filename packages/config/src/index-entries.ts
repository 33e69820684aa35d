/** Entries of the snapshot's index: keys by which an object is found, and resources it claims. */
import type { ChildDisk, Claim, DiskObject, InstanceObject, NodeObject } from "@ganeti-ts/protocol";
import { type ClaimedNames, devicesOfClaim, namesOfClaim, nodesOfClaim } from "./claims.js";
import type { ObjectsByType, ObjectType } from "./objects.js";

/** Kinds of entries that objects of a type can have. */
export const kindsByType = {
  node: ["name", "member", "candidate", "offline", "ip"],
  group: ["name"],
  network: ["name"],
  instance: [
    ...(["name", "attached", "primary", "secondary", "connected"] as const),
    ...(["forthcoming", "nic", "mac", "ip", "link", "port"] as const),
  ],
  disk: ["port", "minor", "secret", "lv"],
  claim: ["name", "claimed", "nic", "mac", "ip", "port", "minor", "secret", "lv"],
} as const satisfies Record<ObjectType, readonly string[]>;

export type EntryKind = (typeof kindsByType)[ObjectType][number];

/** Receives the parts of an entry. */
export type AddEntry = (kind: EntryKind, ...parts: readonly (string | number)[]) => void;

/** Separator of the parts of an entry, which occurs in no name or address. */
const separator = "\0";

/** Kind, key and owner of an entry, in this order; the keys of one kind and key are a range. */
export const entryText = (kind: EntryKind, parts: readonly (string | number)[]): string =>
  [kind, ...parts].join(separator);

/** Common prefix of all entries of that kind and key. */
export const entryPrefix = (...parts: readonly (string | number)[]): string =>
  parts.join(separator) + separator;

/**
 * | kind | key | owner |
 * |---|---|---|
 * | `name` | type, name in lower case | uuid |
 * | `member` | group | node |
 * | `candidate`, `offline` | none | node in that role |
 * | `primary`, `secondary` | node | instance |
 * | `attached` | disk | instance |
 * | `forthcoming` | node | forthcoming instance, with its primary node or a drbd disk there |
 * | `claimed` | node | claim |
 * | `connected` | network | instance |
 * | `nic` | NIC's uuid | instance or claim |
 * | `mac` | address | instance or claim, NIC index |
 * | `ip` | address | node, instance or claim, which of its addresses |
 * | `link` | link that a NIC names itself or empty, its address | instance, NIC index |
 * | `port` | number | instance, disk or claim |
 * | `minor` | node, number | disk or claim |
 * | `secret` | text | disk or claim |
 * | `lv` | node, group and volume | disk or claim, path inside |
 *
 * An entry is a function of the object alone, and for `secondary` and `forthcoming` of its disks. Each is passed to `add`.
 */
export function entriesOf<T extends ObjectType>(
  type: T,
  object: ObjectsByType[T],
  diskOf: (uuid: string) => DiskObject | undefined,
  add: AddEntry,
): void {
  switch (type) {
    case "claim":
      addClaim(object as Claim, add);
      break;
    case "disk":
      addDisk(object as DiskObject, object.uuid, add);
      break;
    default: {
      const { uuid, name } = object as Exclude<ObjectsByType[T], Claim>;
      if (name !== undefined) add("name", type, name.toLowerCase(), uuid);
      if (type === "node") addNode(object as NodeObject, add);
      else if (type === "instance") addInstance(object as InstanceObject, diskOf, add);
    }
  }
}

function addNode(node: NodeObject, add: AddEntry): void {
  const { uuid, group, primary_ip, secondary_ip, master_candidate, offline } = node;
  add("member", group, uuid);
  if (master_candidate) add("candidate", uuid);
  if (offline) add("offline", uuid);
  add("ip", primary_ip, uuid, "primary");
  if (secondary_ip !== primary_ip) add("ip", secondary_ip, uuid, "secondary");
}

function addInstance(
  instance: InstanceObject,
  diskOf: (uuid: string) => DiskObject | undefined,
  add: AddEntry,
): void {
  const { uuid, primary_node, disks, nics } = instance;
  for (const disk of disks) add("attached", disk, uuid);
  const secondaries = secondariesOf(instance, diskOf);
  if (primary_node !== undefined) add("primary", primary_node, uuid);
  for (const node of secondaries) add("secondary", node, uuid);
  if (instance.forthcoming) {
    if (primary_node !== undefined) add("forthcoming", primary_node, uuid);
    for (const node of secondaries) add("forthcoming", node, uuid);
  }
  addNames(instance, uuid, add);
  for (const [at, { ip, network, nicparams }] of nics.entries()) {
    if (ip !== undefined) add("link", nicparams?.link ?? "", ip, uuid, at);
    if (network !== undefined) add("connected", network, uuid);
  }
}

function addClaim(claim: Claim, add: AddEntry): void {
  const { uuid } = claim;
  const names = namesOfClaim(claim);
  if (names.name !== undefined) add("name", "claim", names.name.toLowerCase(), uuid);
  for (const node of nodesOfClaim(claim)) add("claimed", node, uuid);
  addNames(names, uuid, add);
  for (const disk of devicesOfClaim(claim)) addDisk(disk, uuid, add);
}

function addNames({ network_port, nics }: ClaimedNames, uuid: string, add: AddEntry): void {
  if (network_port !== undefined) add("port", network_port, uuid);
  for (const [at, { uuid: nic, mac, ip }] of nics.entries()) {
    add("nic", nic, uuid);
    if (mac !== undefined) add("mac", mac.toLowerCase(), uuid, at);
    if (ip !== undefined) add("ip", ip, uuid, at);
  }
}

function addDisk(disk: DiskObject, uuid: string, add: AddEntry): void {
  const { dev_type, logical_id } = disk;
  addVolume(disk, uuid, add);
  if (dev_type === "drbd" && logical_id !== undefined) {
    const [nodeA, nodeB, port, minorA, minorB, secret] = logical_id;
    if (typeof port === "number") add("port", port, uuid);
    if (nodeA != null && minorA != null) add("minor", nodeA, minorA, uuid);
    if (nodeB != null && minorB != null) add("minor", nodeB, minorB, uuid);
    if (secret != null) add("secret", secret, uuid);
  }
  for (const [at, child] of disk.children.entries()) addVolume(child, `${uuid}/${at}`, add);
}

function addVolume(disk: DiskObject | ChildDisk, owner: string, add: AddEntry): void {
  const { dev_type, logical_id, nodes } = disk;
  if (dev_type !== "plain" || logical_id === undefined) return;
  for (const node of nodes) add("lv", node, logical_id.join("/"), owner);
}

/** All nodes of the instance's drbd disks but the primary, in the order in which they are first used. */
export function secondariesOf(
  { primary_node, disks }: InstanceObject,
  diskOf: (uuid: string) => DiskObject | undefined,
): string[] {
  const found = new Set<string>();
  for (const uuid of disks) {
    const disk = diskOf(uuid);
    if (disk?.dev_type !== "drbd") continue;
    for (const node of disk.nodes) if (node !== primary_node) found.add(node);
  }
  return [...found];
}
