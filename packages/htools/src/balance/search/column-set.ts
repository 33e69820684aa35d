/**
 * Deviations of the score as columns of numbers: one row per online node, one column per deviation that some
 * victim changes. Components that always change alike (planned and real ones in a cluster without forthcoming
 * instances) share a column. The last column is the memory reserved for N+1.
 *
 * Figures are relative to the initial mean, to avoid cancellation. Cost of a change of state: O(nodes x
 * columns).
 */
import type { Cluster } from "../../model/cluster.js";
import { lengthOf } from "../../model/index-list.js";
import type { Instance } from "../../model/instance.js";
import { field, rowLength } from "../../model/node-columns.js";
import { at, type Measures, measureNode, weights } from "../../score/metrics.js";

/** Nodes on which an instance counts: on its primary only, or on both of its nodes. */
type Role = "primary" | "both";

interface Cost {
  readonly component: number;
  readonly role: Role;
  readonly amount: (instance: Instance) => number;
  /** Change of a node's figure per unit. */
  readonly unit: (cluster: Cluster, node: number) => number;
}

const perMemory = ({ facts }: Cluster, node: number) => -1 / (facts.memoryTotal[node] as number);
const perDisk = ({ facts }: Cluster, node: number) => {
  const total = facts.diskTotal[node] as number;
  return total === 0 ? 0 : -1 / total;
};
const perCpu = ({ facts }: Cluster, node: number) =>
  1 / (facts.cpuTotal[node] as number) / (facts.cpuSpeed[node] as number);
const perSpindle = ({ facts }: Cluster, node: number) => 1 / (facts.spindlesMax[node] as number);
const perLoad = () => 1;

const real = (amount: (instance: Instance) => number) => (instance: Instance) =>
  instance.forthcoming ? 0 : amount(instance);
const disk = ({ local, diskMib }: Instance) => (local ? diskMib : 0);
const vcpus = ({ countsVcpus, vcpus }: Instance) => (countsVcpus ? vcpus : 0);
const spindles = ({ local, spindleUse }: Instance) => (local ? spindleUse : 0);

const cost = (component: number, role: Role, amount: Cost["amount"], unit: Cost["unit"]): Cost => ({
  component,
  role,
  amount,
  unit,
});

const costs: readonly Cost[] = [
  cost(at.diskFree, "both", real(disk), perDisk),
  cost(
    at.loadDisk,
    "both",
    real(({ load }) => load.disk),
    perLoad,
  ),
  cost(at.spindles, "both", real(spindles), perSpindle),
  cost(at.diskFreePlanned, "both", disk, perDisk),
  cost(at.spindlesPlanned, "both", spindles, perSpindle),
  cost(
    at.memoryFree,
    "primary",
    ({ usesMemory, memoryMib }) => (usesMemory ? memoryMib : 0),
    perMemory,
  ),
  cost(at.vcpus, "primary", real(vcpus), perCpu),
  cost(
    at.loadCpu,
    "primary",
    real(({ load }) => load.cpu),
    perLoad,
  ),
  cost(
    at.loadMemory,
    "primary",
    real(({ load }) => load.memory),
    perLoad,
  ),
  cost(
    at.loadNetwork,
    "primary",
    real(({ load }) => load.network),
    perLoad,
  ),
  cost(at.memoryFreePlanned, "primary", ({ memoryMib }) => memoryMib, perMemory),
  cost(at.vcpusPlanned, "primary", vcpus, perCpu),
];

/** A variance that rounding made negative counts as 0. */
export const root = (variance: number): number => (variance > 0 ? Math.sqrt(variance) : 0);

interface Column {
  readonly cost: Cost;
  readonly units: readonly number[];
  readonly values: readonly number[];
  readonly amounts: readonly number[];
  weight: number;
}

export class ColumnSet {
  /** Online nodes, in index order; a place is a position in this list. */
  readonly nodes: readonly number[];
  /** By node: its place, or -1. */
  readonly placeOf: Int32Array;
  readonly width: number;
  /** Columns before this one count on both nodes, those from it on only on the primary. */
  readonly bothCount: number;
  /** The last column. */
  readonly reservedAt: number;
  /** By column: a component it stands for, and the weight of all of them. */
  readonly components: readonly number[];
  readonly weights: Float64Array;
  /** By place and column: the figure less its initial mean; the change per unit of cost. */
  readonly figures: Float64Array;
  readonly units: Float64Array;
  readonly unitsLow: Float64Array;
  readonly unitsHigh: Float64Array;
  /** By column, the sum of the figures. */
  readonly totals: Float64Array;
  readonly variances: Float64Array;
  readonly lows: Float64Array;
  readonly highs: Float64Array;
  /**
   * By place. Memory in MiB; the share of the score of failing N+1. A place that fails has no more memory
   * unallocated than reserved, so no move to it can fix that.
   */
  readonly unallocated: Float64Array;
  readonly reserved: Float64Array;
  readonly placed: Float64Array;
  readonly failures: Float64Array;
  /** Weighted deviations of the columns of both nodes, of the primary, and of the reserved memory. */
  bothScore = 0;
  primaryScore = 0;
  reservedScore = 0;
  private readonly means: Float64Array;
  private readonly amountOf: readonly Cost["amount"][];

  constructor(
    private readonly cluster: Cluster,
    online: readonly number[],
    victims: readonly Instance[],
  ) {
    this.nodes = online;
    this.placeOf = new Int32Array(cluster.nodeCount).fill(-1);
    for (const [place, node] of online.entries()) this.placeOf[node] = place;
    const measured = online.map((node) => measureNode(cluster, node));
    const columns = distinctColumns(cluster, online, measured, victims);
    this.bothCount = columns.filter(({ cost }) => cost.role === "both").length;
    this.reservedAt = columns.length;
    this.width = columns.length + 1;
    this.components = [...columns.map((column) => column.cost.component), at.reserved];
    this.weights = Float64Array.from([
      ...columns.map(({ weight }) => weight),
      weights[at.reserved] as number,
    ]);
    this.amountOf = columns.map((column) => column.cost.amount);
    const perColumn = () => new Float64Array(this.width);
    const perPlace = () => new Float64Array(online.length);
    this.figures = new Float64Array(online.length * this.width);
    this.units = new Float64Array(online.length * this.width);
    for (const [place, node] of online.entries()) {
      const units = [...columns.map((one) => one.units[place] as number), reservedUnit(node)];
      this.units.set(units, place * this.width);
    }
    const overPlaces = (pick: (...units: number[]) => number) =>
      Float64Array.from({ length: this.width }, (_, column) =>
        online.reduce(
          (known, _node, place) => pick(known, this.units[place * this.width + column] as number),
          this.units[column] as number,
        ),
      );
    this.unitsLow = overPlaces(Math.min);
    this.unitsHigh = overPlaces(Math.max);
    this.totals = perColumn();
    this.variances = perColumn();
    this.lows = perColumn();
    this.highs = perColumn();
    this.unallocated = perPlace();
    this.reserved = perPlace();
    this.placed = perPlace();
    this.failures = perPlace();
    this.means = Float64Array.from(this.components, (component) => {
      const total = measured.reduce((sum, values) => sum + (values[component] as number), 0);
      return online.length === 0 ? 0 : total / online.length;
    });
    for (const node of online) this.read(node);
    this.summarise();

    function reservedUnit(node: number): number {
      return 1 / (cluster.facts.memoryTotal[node] as number);
    }
  }

  get count(): number {
    return this.nodes.length;
  }

  /** Cost of an instance in a column other than that of the reserved memory. */
  costOf(instance: Instance, column: number): number {
    return (this.amountOf[column] as Cost["amount"])(instance);
  }

  /** Updates the columns after changes of these nodes. */
  refresh(changed: readonly number[]): void {
    for (const node of changed) if ((this.placeOf[node] as number) >= 0) this.read(node);
    this.summarise();
  }

  /** Figure of a node in a column, relative to the initial mean. */
  relative(column: number, measures: Measures): number {
    return (measures[this.components[column] as number] as number) - (this.means[column] as number);
  }

  /** The weighted sum of the deviations in the columns. */
  get score(): number {
    return this.bothScore + this.primaryScore + this.reservedScore;
  }

  private deviations(first: number, end: number): number {
    let score = 0;
    for (let column = first; column < end; column++) {
      score += (this.weights[column] as number) * Math.sqrt(this.variances[column] as number);
    }
    return score;
  }

  /** A column's deviation after its figures and their squares have grown by these sums. */
  deviationAfter(column: number, squares: number, shift: number): number {
    const { count } = this;
    const total = this.totals[column] as number;
    const change = squares / count - (shift * (2 * total + shift)) / (count * count);
    return root((this.variances[column] as number) + change);
  }

  private read(node: number): void {
    const { cluster } = this;
    const place = this.placeOf[node] as number;
    const measured = measureNode(cluster, node);
    for (let column = 0; column < this.width; column++) {
      this.figures[place * this.width + column] = this.relative(column, measured);
    }
    const row = node * rowLength;
    this.unallocated[place] = cluster.rows[row + field.memoryUnallocated] as number;
    this.reserved[place] = cluster.rows[row + field.memoryReserved] as number;
    this.placed[place] = lengthOf(cluster.primaries[node]) + lengthOf(cluster.secondaries[node]);
    this.failures[place] = measured[at.n1] as number;
  }

  private summarise(): void {
    const { figures, width, count } = this;
    for (let column = 0; column < width; column++) {
      let total = 0;
      let low = Number.POSITIVE_INFINITY;
      let high = Number.NEGATIVE_INFINITY;
      for (let i = column; i < figures.length; i += width) {
        const figure = figures[i] as number;
        total += figure;
        if (figure < low) low = figure;
        if (figure > high) high = figure;
      }
      const mean = total / count;
      let squares = 0;
      for (let i = column; i < figures.length; i += width) {
        const deviation = (figures[i] as number) - mean;
        squares += deviation * deviation;
      }
      this.totals[column] = total;
      this.variances[column] = squares / count;
      this.lows[column] = low;
      this.highs[column] = high;
    }
    this.bothScore = this.deviations(0, this.bothCount);
    this.primaryScore = this.deviations(this.bothCount, this.reservedAt);
    this.reservedScore = this.deviations(this.reservedAt, width);
  }
}

/** Columns that count on both nodes come first. */
function distinctColumns(
  cluster: Cluster,
  online: readonly number[],
  measured: readonly Measures[],
  victims: readonly Instance[],
): Column[] {
  const columns: Column[] = [];
  for (const cost of costs) {
    const amounts = victims.map(cost.amount);
    if (amounts.every((amount) => amount === 0)) continue;
    const weight = weights[cost.component] as number;
    const units = online.map((node) => cost.unit(cluster, node));
    const values = measured.map((one) => one[cost.component] as number);
    const alike = columns.find(
      (one) =>
        one.cost.role === cost.role &&
        equal(one.units, units) &&
        equal(one.values, values) &&
        equal(one.amounts, amounts),
    );
    if (alike) alike.weight += weight;
    else columns.push({ cost, units, values, amounts, weight });
  }
  return columns;
}

const equal = (a: readonly number[], b: readonly number[]) => a.every((one, i) => one === b[i]);
