/** Bytes in parts as the body of an answer: small ones at once, large ones as fast as the client takes them. */
import { turns } from "../slices.js";

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
  return streamOf(parts);
}

/** A stream reads no further than its client. When the client goes away, the reading ends. */
export function streamOf(
  parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): ReadableStream<Uint8Array> {
  const reader =
    Symbol.asyncIterator in parts ? parts[Symbol.asyncIterator]() : parts[Symbol.iterator]();
  // A socket that takes all parts at once would keep all other work waiting.
  const turn = turns();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const over = turn();
        if (over !== undefined) await over;
        const { done, value } = await reader.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await reader.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
