/** Shifts of a node's measures by a new instance in each role, computed from the rows of a kept cluster without trials. */
import { memoryReservedFor } from "../fit/fitting.js";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import { field, rowLength } from "../model/node-columns.js";
import { at } from "../score/metrics.js";
import type { RoleEffects } from "../score/role-effects.js";
import type { ScoreColumns } from "../score/score-columns.js";

/**
 * The values after a placement are the same quotients that `measureNode` makes of the changed rows, so that they are
 * equal to the last bit. For online nodes without exclusive storage, and instances that use memory and have no tags
 * that matter. O(components) for each node.
 */
export class RoleShifts {
  private readonly needed: number;
  private readonly diskMib: number;
  private readonly spindleUse: number;

  constructor(
    private readonly cluster: Cluster,
    private readonly instance: Instance,
    private readonly columns: ScoreColumns,
  ) {
    const { local, diskMib, spindleUse } = instance;
    this.needed = memoryReservedFor(instance);
    this.diskMib = local ? diskMib : 0;
    this.spindleUse = local ? spindleUse : 0;
  }

  notePrimary(role: RoleEffects, node: number, place: number): void {
    const { cluster, instance, columns } = this;
    const { rows, facts } = cluster;
    const row = node * rowLength;
    const memoryTotal = facts.memoryTotal[node] as number;
    const cpuTotal = facts.cpuTotal[node] as number;
    const cpuSpeed = facts.cpuSpeed[node] as number;
    const vcpus = instance.countsVcpus ? instance.vcpus : 0;
    const { load, memoryMib } = instance;
    const value = (column: number) => rows[row + column] as number;
    const memoryLeft = value(field.memoryUnallocated) - memoryMib;
    const plannedLeft = value(field.memoryFreePlanned) - memoryMib;
    this.shift(role, at.memoryFree, place, memoryLeft / memoryTotal);
    this.shift(role, at.memoryFreePlanned, place, plannedLeft / memoryTotal);
    const cpus = (used: number) => (used + vcpus) / cpuTotal / cpuSpeed;
    this.shift(role, at.vcpus, place, cpus(value(field.vcpusUsed)));
    this.shift(role, at.vcpusPlanned, place, cpus(value(field.vcpusUsedPlanned)));
    this.shift(role, at.loadCpu, place, value(field.loadCpu) + load.cpu);
    this.shift(role, at.loadMemory, place, value(field.loadMemory) + load.memory);
    this.shift(role, at.loadNetwork, place, value(field.loadNetwork) + load.network);
    this.shiftStorage(role, node, place);
    const failing = memoryLeft <= value(field.memoryReserved);
    const placed = (columns.columns[at.offlineAll] as Float64Array)[place] as number;
    const before = (columns.columns[at.n1] as Float64Array)[place] as number;
    role.n1Shifts[place] = (failing ? placed + 1 : 0) - before;
    role.reservedShifts[place] = 0;
  }

  /** As the secondary of a primary with which the node shares no instances. */
  noteSecondary(role: RoleEffects, node: number, place: number): void {
    const { cluster, columns, needed } = this;
    const { rows, facts } = cluster;
    const row = node * rowLength;
    const value = (component: number) =>
      (columns.columns[component] as Float64Array)[place] as number;
    const reserved = Math.max(rows[row + field.memoryReserved] as number, needed);
    const ratio = reserved / (facts.memoryTotal[node] as number);
    this.shift(role, at.reserved, place, ratio);
    this.shiftStorage(role, node, place);
    const failing = (rows[row + field.memoryUnallocated] as number) <= reserved;
    role.n1Shifts[place] = (failing ? value(at.offlineAll) + 1 : 0) - value(at.n1);
    role.reservedShifts[place] = ratio - value(at.reservedTotal);
  }

  /** Disk, spindles and the load of disks, which both nodes of a pair take. */
  private shiftStorage(role: RoleEffects, node: number, place: number): void {
    const { cluster, instance, diskMib, spindleUse } = this;
    const { rows, facts } = cluster;
    const row = node * rowLength;
    const diskTotal = facts.diskTotal[node] as number;
    const spindlesMax = facts.spindlesMax[node] as number;
    const value = (column: number) => rows[row + column] as number;
    const diskFree = (free: number) => (diskTotal === 0 ? 1 : (free - diskMib) / diskTotal);
    const spindles = (used: number) => (used + spindleUse) / spindlesMax;
    this.shift(role, at.diskFree, place, diskFree(value(field.diskFree)));
    this.shift(role, at.diskFreePlanned, place, diskFree(value(field.diskFreePlanned)));
    this.shift(role, at.spindles, place, spindles(value(field.spindlesUsed)));
    this.shift(role, at.spindlesPlanned, place, spindles(value(field.spindlesUsedPlanned)));
    this.shift(role, at.loadDisk, place, value(field.loadDisk) + instance.load.disk);
  }

  private shift(role: RoleEffects, component: number, place: number, after: number): void {
    const before = (this.columns.columns[component] as Float64Array)[place] as number;
    role.shift(component, place, before, after);
  }
}
