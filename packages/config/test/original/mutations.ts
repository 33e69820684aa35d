// Mutations of a configuration: at each of its places a missing value, null, another type, a value out of range, a repetition.
import type { Random } from "@ganeti-ts/protocol";
import type { File, Part } from "./samples.js";

type Path = readonly string[];

export interface Mutation {
  /** Version of the sample. */
  readonly sample: string;
  /** Place of the changed value; keys that are UUIDs or names of objects are `*`, as are indexes. */
  readonly shape: string;
  readonly change: string;
  readonly file: File;
}

/** All mutations of the samples, one for each shape of place and each change, in an order that `random` chooses. */
export function* mutations(
  samples: ReadonlyMap<string, File>,
  random: Random,
): Generator<Mutation> {
  const plans: { sample: string; shape: string; change: string; path: Path }[] = [];
  for (const [sample, file] of samples) {
    const byShape = new Map<string, Path[]>();
    for (const path of places(file)) {
      const shape = path.map((key, at) => generalised(path, key, at)).join("/");
      byShape.set(shape, [...(byShape.get(shape) ?? []), path]);
    }
    for (const [shape, paths] of byShape) {
      for (const change of Object.keys(changes)) {
        const path = paths[Math.floor(random.fraction() * paths.length)] as Path;
        plans.push({ sample, shape, change, path });
      }
    }
  }
  const order = plans.map((plan) => ({ plan, at: random.fraction() })).sort((a, b) => a.at - b.at);
  for (const { plan } of order) {
    const file = structuredClone(samples.get(plan.sample) as File);
    if (changed(file, plan.path, plan.change)) yield { ...plan, file };
  }
}

const mapsOfObjects = ["nodes", "nodegroups", "instances", "disks", "networks", "filters"];

/** Parts of the configuration whose keys are those of an administrator, not of a format. */
const generalised = (path: Path, key: string, at: number): string => {
  const isObject = at === 1 && mapsOfObjects.includes(path[0] ?? "");
  return isObject || /^\d+$/.test(key) || /^[0-9a-f-]{36}$/.test(key) ? "*" : key;
};

/** Every place of a value, from the outermost inward. */
function* places(value: unknown, path: Path = []): Generator<Path> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    yield [...path, key];
    yield* places(inner, [...path, key]);
  }
}

/** New value of each change; `undefined` where it has none for this value. */
const changes: Readonly<Record<string, (value: unknown) => unknown>> = {
  missing: () => undefined,
  null: () => null,
  "another type": (value) => {
    if (typeof value === "string") return 7;
    return typeof value === "number" || typeof value === "boolean" ? "x" : 5;
  },
  "another container": (value) => (Array.isArray(value) ? {} : [["x"]]),
  empty: (value) => {
    if (typeof value === "string") return "";
    if (typeof value === "object") return Array.isArray(value) ? [] : {};
    return 0;
  },
  "out of range": (value) => {
    if (typeof value === "number") return -value - 1;
    if (typeof value === "boolean") return !value;
    return typeof value === "string" ? `${value} x` : undefined;
  },
  fraction: (value) => (typeof value === "number" ? value + 0.5 : undefined),
  huge: (value) => (typeof value === "number" ? 2 ** 53 : undefined),
  doubled: (value) => {
    if (Array.isArray(value)) return [...value, ...value];
    return typeof value === "string" ? value + value : undefined;
  },
  "unknown key": (value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? { ...value, colour: "red" }
      : undefined,
};

/** Makes the change; false if it has no meaning at this place. */
function changed(file: File, path: Path, change: string): boolean {
  let owner: Part = file;
  for (const key of path.slice(0, -1)) owner = owner[key] as Part;
  const key = path.at(-1) as string;
  if (change === "missing") {
    if (Array.isArray(owner)) owner.splice(Number(key), 1);
    else delete owner[key];
    return true;
  }
  const value = changes[change]?.(owner[key]);
  if (value === undefined) return false;
  owner[key] = value;
  return true;
}
