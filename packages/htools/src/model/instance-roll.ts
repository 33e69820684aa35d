/**
 * The instances of a cluster, by index. They are made when somebody looks at one of them: many requests
 * only need what was counted of them when the cluster was loaded.
 */
import { diskTemplates, type InstanceColumns, instanceStatuses } from "@ganeti-ts/protocol";
import { type Instance, usesMemoryAs } from "./instance.js";

/** What an instance asks for where it goes. */
export interface Demand extends Pick<Instance, "memoryMib" | "diskMib" | "usesMemory"> {
  readonly data: Pick<Instance["data"], "diskTemplate">;
}

export class InstanceRoll {
  private made: Instance[] | undefined;

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

  /** @param make what the columns tell of; called once */
  static later(columns: InstanceColumns, make: () => readonly Instance[]): InstanceRoll {
    let made: readonly Instance[] | undefined;
    const once = () => {
      made ??= make();
      return made;
    };
    return new InstanceRoll(once, columns, []);
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

  private get known(): number {
    return this.columns?.primary.length ?? 0;
  }

  /** Of one instance, without making any. */
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

  /** Independent of this one. */
  copy(): InstanceRoll {
    return this.made === undefined
      ? new InstanceRoll(this.make, this.columns, [...this.enlisted])
      : InstanceRoll.of(this.made.slice());
  }
}
