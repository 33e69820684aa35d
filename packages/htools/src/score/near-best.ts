/** Collector of pairs whose estimated score is too close to the lowest to be distinguished. */
import { nearness } from "./score-board.js";

export interface Pair {
  readonly primary: number;
  readonly secondary: number;
}

export class NearBest {
  private candidates: { readonly pair: Pair; readonly score: number }[] = [];

  /** @param lowest a score known to be possible */
  constructor(private lowest = Number.POSITIVE_INFINITY) {}

  /** Pairs above this score are irrelevant. */
  get limit(): number {
    return this.lowest + nearness(this.lowest);
  }

  offer(pair: Pair, score: number): void {
    if (score > this.limit) return;
    this.candidates.push({ pair, score });
    if (!(score < this.lowest)) return;
    const before = this.lowest;
    this.lowest = score;
    if (before - score > nearness(score)) {
      this.candidates = this.candidates.filter((candidate) => !(candidate.score > this.limit));
    }
  }

  get pairs(): Pair[] {
    return this.candidates.filter(({ score }) => !(score > this.limit)).map(({ pair }) => pair);
  }
}
