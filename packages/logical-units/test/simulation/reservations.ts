// Record of reservations at the start of their commits, which must stay unchanged as long as they
// are reservations.
import type { Configuration, Snapshot } from "@ganeti-ts/config";
import type { InstanceObject, JsonObject } from "@ganeti-ts/protocol";

export class Reservations {
  readonly #formsByUuid = new Map<string, string>();
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

  checkAll(now: Snapshot): void {
    for (const instance of now.instances()) this.#check(now, instance);
  }

  #check(now: Snapshot, instance: InstanceObject): void {
    const known = this.#formsByUuid.get(instance.uuid);
    if (known === undefined || !instance.forthcoming) return;
    const form = formOf(now, instance);
    if (form !== known) this.#changed(`${form} was ${known}`);
  }
}

/**
 * The state without serial numbers and times, and without UUIDs in names of volumes and files: they are new where devices
 * with the former names are left on a node.
 */
const formOf = (now: Snapshot, instance: InstanceObject): string =>
  JSON.stringify([instance, ...now.disksOf(instance)], (key, value) =>
    ["serial_no", "mtime"].includes(key) ? undefined : value,
  ).replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}(?=\.)/g, "*");

/** Sabotage: values given at a failed commit stay in the reservation. */
export const keepGiven = (config: Configuration, name: string) =>
  config.change((now) => {
    const reserved = now.findInstance(name);
    if (!reserved?.forthcoming) return { changes: [], value: undefined };
    const object = { ...reserved, tags: [...reserved.tags, "given"] };
    return { changes: [{ kind: "put", type: "instance", object }], value: undefined };
  });
