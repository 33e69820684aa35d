/** Random: source of randomness, seeded in tests. */

/** Source of random numbers; `systemRandom`, or a seeded one in tests. */
export interface Random {
  /** At least 0, below 1, with at least 32 random bits. */
  fraction(): number;
}

// Global common to browsers and Node.
declare const crypto: { getRandomValues(into: Uint32Array): Uint32Array };

/** Fast and predictable: for spreading load, never for names or secrets. */
export const systemRandom: Random = { fraction: () => Math.random() };

/** Numbers drawn in advance, because a draw costs the same for one number as for all of these. */
const drawn = new Uint32Array(256);
let drawnLeft = 0;

/** Cryptographic randomness, suitable for UUIDs, MAC addresses and secrets. */
export const secureRandom: Random = {
  fraction() {
    if (drawnLeft === 0) {
      crypto.getRandomValues(drawn);
      drawnLeft = drawn.length;
    }
    drawnLeft -= 1;
    const value = drawn[drawnLeft] as number;
    // Clear used numbers, so that they do not stay readable in memory.
    drawn[drawnLeft] = 0;
    return value / 2 ** 32;
  },
};

/** All bytes as two hexadecimal digits. */
const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** `count` random bytes as lower-case hexadecimal. */
export function randomHex(random: Random, count: number): string {
  let text = "";
  for (let i = 0; i < count; i++) text += hexOfByte[Math.floor(random.fraction() * 256)];
  return text;
}
