/** Long computations in parts, between which a program can do other work. */

/** Each `next()` does one part, such as the placement of one instance. */
export type InParts<T> = Generator<void, T>;

/** Runs all parts and returns the result. */
export function finished<T>(parts: Iterator<unknown, T>): T {
  for (;;) {
    const part = parts.next();
    if (part.done) return part.value;
  }
}
