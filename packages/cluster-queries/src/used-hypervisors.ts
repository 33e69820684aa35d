/** Hypervisors in use, counted once and then kept up to date. */
import type { Snapshot } from "@ganeti-ts/config";
import type { InstanceObject } from "@ganeti-ts/protocol";

/** Hypervisors of the instances of a cluster; remembers those of the latest snapshot. */
export class UsedHypervisors {
  #now: Snapshot | undefined;
  readonly #counts = new Map<string, number>();

  /**
   * Names of the hypervisors of all instances that are more than reservations. O(changed * log instances);
   * O(instances) for the first snapshot, and for one that was not derived from the latest.
   */
  names(now: Snapshot): readonly string[] {
    if (this.#now === undefined) for (const one of now.instances()) this.#count(one, 1);
    else if (this.#now !== now) {
      for (const { before, after } of now.differencesFrom(this.#now, "instance")) {
        this.#count(before, -1);
        this.#count(after, 1);
      }
    }
    this.#now = now;
    return [...this.#counts.keys()].sort();
  }

  #count(instance: InstanceObject | undefined, by: number): void {
    if (instance === undefined || instance.forthcoming) return;
    const { hypervisor } = instance;
    const count = (this.#counts.get(hypervisor) ?? 0) + by;
    if (count > 0) this.#counts.set(hypervisor, count);
    else this.#counts.delete(hypervisor);
  }
}
