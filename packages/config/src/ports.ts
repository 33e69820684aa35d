/** What the configuration needs of the world besides a store: time and chance. */

/** The time of day. */
export interface Clock {
  /** Whole microseconds since the epoch; may jump. */
  wallMicros(): number;
}

/** UUIDs, MAC addresses and secrets are made of it: outside of tests it must not be predictable. */
export interface Random {
  /** At least 0, below 1, with at least 32 random bits. */
  fraction(): number;
}

// What browsers and Node have in common.
declare const crypto: { getRandomValues(into: Uint32Array): Uint32Array };

/** Asking for a number alone costs as much as asking for all of these. */
const drawn = new Uint32Array(256);
let drawnLeft = 0;

/** The machine's own randomness, fit for secrets. */
export const secureRandom: Random = {
  fraction() {
    if (drawnLeft === 0) {
      crypto.getRandomValues(drawn);
      drawnLeft = drawn.length;
    }
    drawnLeft -= 1;
    const value = drawn[drawnLeft] as number;
    // What has been given away is known to nobody else.
    drawn[drawnLeft] = 0;
    return value / 2 ** 32;
  },
};

/** `count` random bytes as lower-case hexadecimal. */
export function randomHex(random: Random, count: number): string {
  let text = "";
  for (let i = 0; i < count; i++) {
    text += Math.floor(random.fraction() * 256)
      .toString(16)
      .padStart(2, "0");
  }
  return text;
}
