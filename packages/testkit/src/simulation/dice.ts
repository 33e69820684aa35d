/** Seeded random numbers: the same seed gives the same sequence on every machine. */
export class Dice {
  private state: number;

  constructor(seed: number) {
    this.state = seed | 0;
  }

  /** A number from 0 up to, not including, 1. */
  fraction(): number {
    // Mulberry32: 32 bits of state, fully mixed in each step.
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** A whole number from `lowest` to `highest`, both included. */
  between(lowest: number, highest: number): number {
    return lowest + Math.floor(this.fraction() * (highest - lowest + 1));
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new Error("nothing to pick from");
    return items[this.between(0, items.length - 1)] as T;
  }

  /** Some of the items, in their order; each is taken with the same probability. */
  some<T>(items: readonly T[], probability = 0.5): T[] {
    return items.filter(() => this.chance(probability));
  }

  /** All of the items, in any order. */
  shuffled<T>(items: readonly T[]): T[] {
    const mixed = [...items];
    for (let i = mixed.length - 1; i > 0; i--) {
      const j = this.between(0, i);
      [mixed[i], mixed[j]] = [mixed[j] as T, mixed[i] as T];
    }
    return mixed;
  }
}
