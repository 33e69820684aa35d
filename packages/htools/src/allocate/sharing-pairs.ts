/** Pairs of nodes that already share instances, in which the secondary reserves more memory than usual. */
import { fits, type Misfit } from "../fit/misfit.js";

/**
 * Sharing pairs of one search, listed by primary. Plain columns instead of objects, because there are about as
 * many as mirrored instances.
 */
export class SharingPairs {
  /** By pair. */
  private readonly secondaries: number[] = [];
  private readonly misfits: Misfit[] = [];
  private readonly terms: number[] = [];
  private readonly nexts: number[] = [];
  /** First pair of each primary; -1 for none. */
  private readonly heads: Int32Array;

  constructor(nodeCount: number) {
    this.heads = new Int32Array(nodeCount).fill(-1);
  }

  get count(): number {
    return this.secondaries.length;
  }

  /** @param terms see `termsOf` */
  add(primary: number, secondary: number, misfit: Misfit, terms: number): void {
    this.nexts.push(this.heads[primary] as number);
    this.heads[primary] = this.secondaries.length;
    this.secondaries.push(secondary);
    this.misfits.push(misfit);
    this.terms.push(terms);
  }

  /** The first pair of a primary; -1 if it has none. */
  firstOf(primary: number): number {
    return this.heads[primary] as number;
  }

  /** The pair of the same primary after this one; -1 after the last. */
  next(pair: number): number {
    return this.nexts[pair] as number;
  }

  secondaryOf(pair: number): number {
    return this.secondaries[pair] as number;
  }

  misfitOf(pair: number): Misfit {
    return this.misfits[pair] as Misfit;
  }

  isFeasible(pair: number): boolean {
    return this.misfits[pair] === fits;
  }

  /**
   * Terms that the secondary adds to the score besides those of `PairTable.leastScore`: its reservation, and whether
   * it then fails N+1.
   */
  termsOf(pair: number): number {
    return this.terms[pair] as number;
  }

  /** The secondaries of all sharing pairs of a primary. */
  secondariesOf(primary: number): number[] {
    const secondaries: number[] = [];
    for (let pair = this.firstOf(primary); pair >= 0; pair = this.next(pair)) {
      secondaries.push(this.secondaryOf(pair));
    }
    return secondaries;
  }
}
