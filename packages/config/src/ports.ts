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

/** The machine's own randomness, fit for secrets. */
export const secureRandom: Random = {
  fraction: () => (crypto.getRandomValues(new Uint32Array(1))[0] as number) / 2 ** 32,
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
