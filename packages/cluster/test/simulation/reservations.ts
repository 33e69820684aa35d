// Record of reservations at the start of their commits, which must stay unchanged as long as they
// are reservations.
import { type Configuration, devicesOfClaim, type Snapshot } from "@ganeti-ts/config";
import type { DiskObject, InstanceObject, InstanceUuid, JsonObject } from "@ganeti-ts/protocol";

/** A reservation with its disks, without serial numbers and times. */
interface Form {
  /** Everything except the names of its devices, as text. */
  readonly shape: string;
  /** Names of volumes and files, minors and secrets of mirrors. */
  readonly names: readonly string[];
}

export class Reservations {
  readonly #formsByUuid = new Map<string, Form>();
  readonly #changed: (what: string) => void;

  constructor(changed: (what: string) => void) {
    this.#changed = changed;
  }

  /**
   * Called when an opcode begins with its locks held: it may change the instance that it names,
   * unless it makes it real.
   */
  begins(opcode: JsonObject, now: Snapshot): void {
    const named = now.findInstance(String(opcode.instance_name));
    if (named === undefined) return;
    this.#check(now, named);
    if (opcode.commit === true && named.forthcoming) {
      this.#formsByUuid.set(named.uuid, formOf(now, named));
    } else this.#formsByUuid.delete(named.uuid);
  }

  /**
   * Must be called for each change. Only a change that claims the devices with the former names for removal may give new
   * names to the reservation.
   */
  sees(now: Snapshot): void {
    for (const [uuid, known] of this.#formsByUuid) {
      const instance = now.instance(uuid as InstanceUuid);
      if (!instance?.forthcoming) continue;
      const form = formOf(now, instance);
      if (form.shape !== known.shape || isSame(form, known)) continue;
      const claims = [...now.claims()].flatMap(devicesOfClaim).flatMap(namesOf);
      const owned = new Set([...form.names, ...claims]);
      if (known.names.every((name) => owned.has(name))) this.#formsByUuid.set(uuid, form);
    }
  }

  checkAll(now: Snapshot): void {
    for (const instance of now.instances()) this.#check(now, instance);
  }

  #check(now: Snapshot, instance: InstanceObject): void {
    const known = this.#formsByUuid.get(instance.uuid);
    if (known === undefined || !instance.forthcoming) return;
    const form = formOf(now, instance);
    if (isSame(form, known)) return;
    this.#changed([form, known].map((one) => [one.shape, ...one.names].join(" ")).join(" was "));
  }
}

const isSame = (one: Form, other: Form): boolean =>
  one.shape === other.shape && one.names.join() === other.names.join();

/** Generated names of volumes and files, which start with a UUID. */
const generatedNames = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}(?=\.)[\w.]*/g;

function formOf(now: Snapshot, instance: InstanceObject): Form {
  const disks = now.disksOf(instance);
  const state = JSON.stringify([instance, ...disks.map(withoutMirrorNames)], (key, value) =>
    ["serial_no", "mtime"].includes(key) ? undefined : value,
  );
  const shape = state.replaceAll(generatedNames, (name) => name.slice(name.indexOf(".")));
  const names = [...(state.match(generatedNames) ?? []), ...disks.flatMap(mirrorNames)];
  return { shape, names };
}

const namesOf = (disk: DiskObject): readonly string[] => [
  ...(JSON.stringify(disk).match(generatedNames) ?? []),
  ...mirrorNames(disk),
];

function withoutMirrorNames(disk: DiskObject): DiskObject {
  if (disk.dev_type !== "drbd" || disk.logical_id === undefined) return disk;
  return { ...disk, logical_id: disk.logical_id.slice(0, 3) };
}

function mirrorNames({ dev_type, logical_id: id }: DiskObject): readonly string[] {
  if (dev_type !== "drbd" || id === undefined) return [];
  const [nodeA, nodeB, , minorA, minorB, secret] = id;
  const sides = [
    [nodeA, minorA],
    [nodeB, minorB],
  ].filter(([node]) => node !== null);
  return [...sides.map(([node, minor]) => `minor ${minor} of ${node}`), `secret ${secret}`];
}

/** Sabotage: values given at a failed commit stay in the reservation. */
export const keepGiven = (config: Configuration, name: string) =>
  config.change((now) => {
    const reserved = now.findInstance(name);
    if (!reserved?.forthcoming) return { changes: [], value: undefined };
    const object = { ...reserved, tags: [...reserved.tags, "given"] };
    return { changes: [{ kind: "put", type: "instance", object }], value: undefined };
  });
