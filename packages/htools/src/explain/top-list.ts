/**
 * The best of many candidates: lowest score first, among equals the later primary, then the later secondary.
 */
export interface Ranked {
  readonly primary: number;
  /** -1 for none. */
  readonly secondary: number;
  readonly score: number;
}

export class TopList {
  readonly items: Ranked[] = [];
  /** Number of candidates with exactly the lowest score. */
  tied = 0;
  private best = Number.NaN;

  constructor(private readonly length: number) {}

  /** Candidates above this score are irrelevant. */
  get limit(): number {
    const worst = this.items[this.length - 1];
    return worst === undefined ? Number.POSITIVE_INFINITY : worst.score;
  }

  offer(primary: number, secondary: number, score: number): void {
    if (score === this.best) this.tied++;
    else if (score < this.best || Number.isNaN(this.best)) {
      this.best = score;
      this.tied = 1;
    }
    const { items, length } = this;
    const one = { primary, secondary, score };
    const last = items[length - 1];
    if (last !== undefined && !precedes(one, last)) return;
    let low = 0;
    let high = items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (precedes(one, items[middle] as Ranked)) high = middle;
      else low = middle + 1;
    }
    items.splice(low, 0, one);
    if (items.length > length) items.pop();
  }
}

/** NaN sorts last. */
function precedes(a: Ranked, b: Ranked): boolean {
  if (a.score !== b.score) return a.score < b.score || Number.isNaN(b.score);
  return a.primary > b.primary || (a.primary === b.primary && a.secondary > b.secondary);
}
