/**
 * Instances of a cluster by index, materialised on first access: many requests need only the totals counted
 * while loading.
 */
import { diskTemplates, type InstanceColumns, instanceStatuses } from "@ganeti-ts/protocol";
import { type Instance, usesMemoryAs } from "./instance.js";

/** Resources an instance requires on a target node. */
export interface Demand extends Pick<Instance, "memoryMib" | "diskMib" | "usesMemory"> {
  readonly data: Pick<Instance["data"], "diskTemplate">;
}

export class InstanceRoll {
  private made: Instance[] | undefined;
  /** Whether all made instances have their position as index. */
  private numbered = true;

  private constructor(
    private readonly make: () => readonly Instance[],
    private readonly columns: InstanceColumns | undefined,
    private readonly enlisted: Instance[],
  ) {}

  static of(instances: Instance[]): InstanceRoll {
    const roll = new InstanceRoll(() => instances, undefined, []);
    roll.made = instances;
    return roll;
  }

  /** @param instances whose index may be out of date; it is corrected on access */
  static unnumbered(instances: Instance[]): InstanceRoll {
    const roll = InstanceRoll.of(instances);
    roll.numbered = false;
    return roll;
  }

  /** @param make creates the instances described by the columns; called once */
  static later(columns: InstanceColumns, make: () => readonly Instance[]): InstanceRoll {
    let made: readonly Instance[] | undefined;
    const once = () => {
      made ??= make();
      return made;
    };
    return new InstanceRoll(once, columns, []);
  }

  get all(): Instance[] {
    const all = this.made ?? this.makeAll();
    if (!this.numbered) {
      this.numbered = true;
      for (let index = 0; index < all.length; index++) renumber(all, index);
    }
    return all;
  }

  /** All instances, without correcting their indices. */
  get asKept(): readonly Instance[] {
    return this.made ?? this.makeAll();
  }

  at(index: number): Instance {
    return renumber(this.made ?? this.makeAll(), index);
  }

  private makeAll(): Instance[] {
    this.made = [...this.make(), ...this.enlisted];
    return this.made;
  }

  get count(): number {
    return this.made === undefined ? this.known + this.enlisted.length : this.made.length;
  }

  private get known(): number {
    return this.columns?.primary.length ?? 0;
  }

  /** Resources of one instance, without materialising any. */
  demandOf(index: number): Demand {
    const { made, columns, known } = this;
    if (made !== undefined) return made[index] as Instance;
    if (columns === undefined || index >= known) return this.enlisted[index - known] as Instance;
    const diskTemplate = diskTemplates[columns.diskTemplate[index] as number];
    const status = instanceStatuses[columns.status[index] as number];
    return {
      memoryMib: columns.memoryMib[index] as number,
      diskMib: columns.diskMib[index] as number,
      usesMemory: usesMemoryAs(status as Instance["data"]["status"]),
      data: { diskTemplate: diskTemplate as Instance["data"]["diskTemplate"] },
    };
  }

  push(instance: Instance): void {
    (this.made ?? this.enlisted).push(instance);
  }

  /** An independent copy. */
  copy(): InstanceRoll {
    if (this.made === undefined) {
      return new InstanceRoll(this.make, this.columns, [...this.enlisted]);
    }
    const roll = InstanceRoll.of(this.made.slice());
    roll.numbered = this.numbered;
    return roll;
  }
}

/** Instances enlisted by a request stay without a number. */
function renumber(instances: Instance[], index: number): Instance {
  const instance = instances[index] as Instance;
  if (instance.index === index || instance.index < 0) return instance;
  const numbered = Object.assign({}, instance, { index });
  instances[index] = numbered;
  return numbered;
}
