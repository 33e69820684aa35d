/**
 * Effects of an instance of one size on the score in one role, primary or secondary: for each deviation
 * component the shift of a node's value and its square, for updated scores; and the value itself, for scores
 * that are added up again.
 */
import { at, componentCount, deviations, type Measures } from "./metrics.js";

/** By place (see `ScoreColumns`). */
export class RoleEffects {
  readonly feasible: Uint8Array;
  /** By component; defined only for deviations. */
  readonly shifts: readonly Float64Array[];
  readonly squares: readonly Float64Array[];
  /** The values afterwards, if `note` sets them. */
  readonly afters: readonly Float64Array[];
  readonly n1Shifts: Float64Array;
  readonly reservedShifts: Float64Array;

  /**
   * @param shifted the only components of which `shift` will be called; all others share one column of zeros. Without
   * them, `note` may be called, and there is a column for each component.
   */
  constructor(count: number, shifted?: readonly number[]) {
    const column = () => new Float64Array(count);
    const zeros = column();
    const columns = () =>
      Array.from({ length: componentCount }, (_, component) =>
        shifted === undefined || shifted.includes(component) ? column() : zeros,
      );
    this.feasible = new Uint8Array(count);
    this.shifts = columns();
    this.squares = columns();
    this.afters = shifted === undefined ? columns() : [];
    this.n1Shifts = column();
    this.reservedShifts = column();
  }

  /** Notes the value of one deviation component, whose value for later additions is not kept. */
  shift(component: number, place: number, before: number, after: number): void {
    (this.shifts[component] as Float64Array)[place] = after - before;
    (this.squares[component] as Float64Array)[place] = after * after - before * before;
  }

  note(place: number, before: Measures, after: Measures): void {
    this.feasible[place] = 1;
    for (const component of deviations) {
      const from = before[component] as number;
      const to = after[component] as number;
      (this.shifts[component] as Float64Array)[place] = to - from;
      (this.squares[component] as Float64Array)[place] = to * to - from * from;
      (this.afters[component] as Float64Array)[place] = to;
    }
    this.n1Shifts[place] = (after[at.n1] as number) - (before[at.n1] as number);
    this.reservedShifts[place] =
      (after[at.reservedTotal] as number) - (before[at.reservedTotal] as number);
  }

  /** Whether two places have the same effects, to the last bit. */
  alike(a: number, b: number): boolean {
    if (this.n1Shifts[a] !== this.n1Shifts[b]) return false;
    if (this.reservedShifts[a] !== this.reservedShifts[b]) return false;
    for (let i = 0; i < deviations.length; i++) {
      const component = deviations[i] as number;
      const shifts = this.shifts[component] as Float64Array;
      const squares = this.squares[component] as Float64Array;
      if (shifts[a] !== shifts[b] || squares[a] !== squares[b]) return false;
    }
    return true;
  }
}
