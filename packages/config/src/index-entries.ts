/** Entries of the snapshot's index: keys by which an object is found, and resources it claims. */
import type { ChildDisk, DiskObject, InstanceObject, NodeObject } from "@ganeti-ts/protocol";
import type { ObjectsByType, ObjectType } from "./objects.js";

/** Separator of the parts of an entry, which occurs in no name or address. */
const separator = "\0";

/** Kind, key and owner of an entry, in this order; the keys of one kind and key are a range. */
const entry = (...parts: readonly (string | number)[]): string => parts.join(separator);

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
 * | `held` | job | instance |
 * | `connected` | network | instance |
 * | `nic` | NIC's uuid | instance |
 * | `mac` | address | instance, NIC index |
 * | `ip` | address | node or instance, which of its addresses |
 * | `link` | link that a NIC names itself or empty, its address | instance, NIC index |
 * | `port` | number | instance or disk |
 * | `minor` | node, number | disk |
 * | `secret` | text | disk |
 * | `lv` | node, group and volume | disk, path inside |
 *
 * An entry is a function of the object alone, and for `secondary` of its disks.
 */
export function entriesOf<T extends ObjectType>(
  type: T,
  object: ObjectsByType[T],
  diskOf: (uuid: string) => DiskObject | undefined,
): string[] {
  const { uuid, name } = object;
  const found =
    name === undefined || type === "disk" ? [] : [entry("name", type, name.toLowerCase(), uuid)];
  switch (type) {
    case "node":
      return [...found, ...nodeEntries(object as NodeObject)];
    case "instance":
      return [...found, ...instanceEntries(object as InstanceObject, diskOf)];
    case "disk":
      return diskEntries(object as DiskObject);
    default:
      return found;
  }
}

function nodeEntries(node: NodeObject): string[] {
  const { uuid, group, primary_ip, secondary_ip, master_candidate, offline } = node;
  return [
    entry("member", group, uuid),
    ...(master_candidate ? [entry("candidate", uuid)] : []),
    ...(offline ? [entry("offline", uuid)] : []),
    entry("ip", primary_ip, uuid, "primary"),
    ...(secondary_ip === primary_ip ? [] : [entry("ip", secondary_ip, uuid, "secondary")]),
  ];
}

function instanceEntries(
  instance: InstanceObject,
  diskOf: (uuid: string) => DiskObject | undefined,
): string[] {
  const { uuid, primary_node, network_port, disks, nics } = instance;
  const found = disks.map((disk) => entry("attached", disk, uuid));
  if (primary_node !== undefined) found.push(entry("primary", primary_node, uuid));
  for (const node of secondariesOf(instance, diskOf)) found.push(entry("secondary", node, uuid));
  if (network_port !== undefined) found.push(entry("port", network_port, uuid));
  if (instance.forthcoming && instance.held_by !== undefined) {
    found.push(entry("held", instance.held_by, uuid));
  }
  for (const [at, { uuid: nic, mac, ip, network, nicparams }] of nics.entries()) {
    found.push(entry("nic", nic, uuid));
    if (mac !== undefined) found.push(entry("mac", mac.toLowerCase(), uuid, at));
    if (ip !== undefined) {
      found.push(entry("ip", ip, uuid, at), entry("link", nicparams?.link ?? "", ip, uuid, at));
    }
    if (network !== undefined) found.push(entry("connected", network, uuid));
  }
  return found;
}

function diskEntries(disk: DiskObject): string[] {
  const { uuid, dev_type, logical_id } = disk;
  const found = volumeEntries(disk, uuid);
  if (dev_type === "drbd" && logical_id !== undefined) {
    const [nodeA, nodeB, port, minorA, minorB, secret] = logical_id;
    if (typeof port === "number") found.push(entry("port", port, uuid));
    if (nodeA != null && minorA != null) found.push(entry("minor", nodeA, minorA, uuid));
    if (nodeB != null && minorB != null) found.push(entry("minor", nodeB, minorB, uuid));
    if (secret != null) found.push(entry("secret", secret, uuid));
  }
  for (const [at, child] of disk.children.entries()) {
    found.push(...volumeEntries(child, `${uuid}/${at}`));
  }
  return found;
}

function volumeEntries(disk: DiskObject | ChildDisk, owner: string): string[] {
  const { dev_type, logical_id, nodes } = disk;
  if (dev_type !== "plain" || logical_id === undefined) return [];
  return nodes.map((node) => entry("lv", node, logical_id.join("/"), owner));
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
