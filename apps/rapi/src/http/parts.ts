/** Bytes in parts as the body of an answer: small ones at once, large ones as fast as the client takes them. */

/** Larger bodies are not joined, and not copied for each slow client. */
const wholeBytesMax = 1024 * 1024;

export const bytesIn = (parts: readonly Uint8Array[]): number =>
  parts.reduce((sum, { length }) => sum + length, 0);

/** The same bytes, in one part if they are few. */
export function joined(parts: readonly Uint8Array[]): readonly Uint8Array<ArrayBuffer>[] {
  const bytes = bytesIn(parts);
  if (parts.length === 1 || bytes > wholeBytesMax) return parts as Uint8Array<ArrayBuffer>[];
  return [Buffer.concat(parts, bytes)];
}

export function bodyOf(
  parts: readonly Uint8Array[],
): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  const [first, ...others] = joined(parts);
  if (first !== undefined && others.length === 0) return first;
  let next = 0;
  return new ReadableStream<Uint8Array>({
    // Between two parts everything else has its turn: a socket that takes all of them at once would keep the loop.
    async pull(controller) {
      if (next > 0) await new Promise<void>((resolve) => setImmediate(resolve));
      const part = parts[next++];
      if (part === undefined) controller.close();
      else controller.enqueue(part);
    },
  });
}
