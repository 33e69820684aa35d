// Record of reservations at the start of their commits, which must stay unchanged as long as they
// are reservations.
import type { Configuration, Snapshot } from "@ganeti-ts/config";
import type { InstanceObject, InstanceUuid, JsonObject } from "@ganeti-ts/protocol";

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

  /**
   * To be called for each change. Only a change that claims the devices with the former names, to be removed, may give new
   * names to the reservation.
   */
  sees(now: Snapshot): void {
    for (const [uuid, known] of this.#formsByUuid) {
      const instance = now.instance(uuid as InstanceUuid);
      if (!instance?.forthcoming) continue;
      const form = formOf(now, instance);
      if (form === known || withoutUuids(form) !== withoutUuids(known)) continue;
      const claimed = now
        .heldInstances()
        .map((held) => formOf(now, held))
        .join();
      const kept = new Set(namesIn(form));
      const isClaimed = namesIn(known).every((name) => kept.has(name) || claimed.includes(name));
      if (isClaimed) this.#formsByUuid.set(uuid, form);
    }
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

/** The state without serial numbers and times. */
const formOf = (now: Snapshot, instance: InstanceObject): string =>
  JSON.stringify([instance, ...now.disksOf(instance)], (key, value) =>
    ["serial_no", "mtime"].includes(key) ? undefined : value,
  );

/** Generated names of volumes and files, which begin with a UUID. */
const generatedNames = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}(?=\.)[\w.]*/g;
const namesIn = (form: string): readonly string[] => form.match(generatedNames) ?? [];
const withoutUuids = (form: string): string =>
  form.replaceAll(generatedNames, (name) => name.slice(name.indexOf(".")));

/** Sabotage: values given at a failed commit stay in the reservation. */
export const keepGiven = (config: Configuration, name: string) =>
  config.change((now) => {
    const reserved = now.findInstance(name);
    if (!reserved?.forthcoming) return { changes: [], value: undefined };
    const object = { ...reserved, tags: [...reserved.tags, "given"] };
    return { changes: [{ kind: "put", type: "instance", object }], value: undefined };
  });
