/**
 * The instances of a cluster, by index. They are made when somebody looks at one of them: many requests
 * only need what was counted of them when the cluster was loaded.
 */
import type { Instance } from "./instance.js";

export class InstanceRoll {
  private made: Instance[] | undefined;

  /**
   * @param make the first `known` instances; always the same
   * @param enlisted those after them
   */
  constructor(
    private readonly make: () => readonly Instance[],
    private readonly known: number,
    private readonly enlisted: Instance[] = [],
  ) {}

  static of(instances: Instance[]): InstanceRoll {
    const roll = new InstanceRoll(() => instances, instances.length);
    roll.made = instances;
    return roll;
  }

  get all(): Instance[] {
    return this.made ?? this.makeAll();
  }

  private makeAll(): Instance[] {
    this.made = [...this.make(), ...this.enlisted];
    return this.made;
  }

  get count(): number {
    return this.made === undefined ? this.known + this.enlisted.length : this.made.length;
  }

  push(instance: Instance): void {
    (this.made ?? this.enlisted).push(instance);
  }

  /** Independent of this one. */
  copy(): InstanceRoll {
    return this.made === undefined
      ? new InstanceRoll(this.make, this.known, [...this.enlisted])
      : InstanceRoll.of(this.made.slice());
  }
}
