// Normal form of a configuration: equal for files that mean the same, whatever wrote them.
import { defaultDiskparams } from "../../src/defaults.js";
import type { Part } from "./samples.js";

/**
 * Without empty values, in one order, and without values that are new in each run: `known` is the text of the original file, and
 * UUIDs and times that are not in it were made while it was read.
 */
export function normalForm(file: Part, known: string): Part {
  const copy = normal(file, "", known) as Part;
  // Ganeti's loader writes what it has filled; an upgrade here is one to 3.0.
  delete copy.version;
  delete copy.serial_no;
  delete copy.mtime;
  const cluster = copy.cluster as Part;
  const said = (JSON.parse(known) as { cluster: { hvparams?: Record<string, Part> } }).cluster
    .hvparams;
  for (const [hypervisor, parameters] of Object.entries(
    (cluster.hvparams ?? {}) as Record<string, Part>,
  )) {
    for (const key of Object.keys(parameters)) {
      if (said?.[hypervisor]?.[key] == null) delete parameters[key];
    }
    delete parameters.xen_cmd;
    if (parameters.disk_discard === "default") parameters.disk_discard = "ignore";
  }
  cluster.diskparams = filledDiskparams(cluster.diskparams as Record<string, Part>);
  for (const group of Object.values((copy.nodegroups ?? {}) as Record<string, Part>)) {
    delete group.members;
  }
  return copy;
}

/** Here parameters of a template are filled when they are used. */
const filledDiskparams = (own: Record<string, Part>) =>
  Object.fromEntries(
    Object.entries(defaultDiskparams).map(([name, all]) => [name, { ...all, ...own[name] }]),
  );

const sets = ["tags", "tcpudp_port_pool", "nodes", "disk-templates"];

function normal(value: unknown, key: string, known: string): unknown {
  if (typeof value === "string") return isNew(value, known) ? "NEW" : value;
  if (Array.isArray(value)) {
    const list = value.map((one) => normal(one, "", known));
    return sets.includes(key) ? list.sort() : list;
  }
  if (typeof value !== "object" || value === null) return value;
  const parts = Object.entries(value)
    .filter(([name, one]) => !isNewTime(name, one, known))
    .map(([name, one]) => [isNew(name, known) ? "NEW" : name, normal(one, name, known)] as const)
    .filter(([name, one]) => !isEmpty(one) && !(name.endsWith("reservations") && isFree(one)));
  return Object.fromEntries(parts.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** To both, an absent key means the same as these. */
const isEmpty = (value: unknown) =>
  value === null || (typeof value === "object" && Object.keys(value).length === 0);

/** A pool without reservations. */
const isFree = (bits: unknown) => typeof bits === "string" && /^0*$/.test(bits);

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const isNew = (text: string, known: string) => uuid.test(text) && !known.includes(text);

const isNewTime = (key: string, value: unknown, known: string) =>
  (key === "ctime" || key === "mtime") &&
  (value === 0 || !known.includes(String(value).slice(0, 10)));

/** Places at which two normal forms differ, with both values as text; the outermost ones. */
export function* differentPlaces(
  one: unknown,
  other: unknown,
  path = "",
): Generator<readonly [path: string, one: string, other: string]> {
  if (isPart(one) && isPart(other)) {
    for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
      yield* differentPlaces(one[key], other[key], path === "" ? key : `${path}/${key}`);
    }
  } else if (Array.isArray(one) && Array.isArray(other) && one.length === other.length) {
    for (const [at, value] of one.entries()) {
      yield* differentPlaces(value, other[at], `${path}/${at}`);
    }
  } else if (JSON.stringify(one) !== JSON.stringify(other)) {
    yield [path, JSON.stringify(one) ?? "absent", JSON.stringify(other) ?? "absent"];
  }
}

const isPart = (value: unknown): value is Part =>
  typeof value === "object" && value !== null && !Array.isArray(value);
