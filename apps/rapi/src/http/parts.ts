/** Answers in parts: small ones are sent at once, large ones as fast as the client reads. */
import { turns } from "../slices.js";

/** Size up to which the parts of a body are joined; larger ones are not copied for each slow client. */
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

/** A stream that reads its parts only as fast as its client, and stops when the client disconnects. */
export function streamOf(
  parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): ReadableStream<Uint8Array> {
  const reader =
    Symbol.asyncIterator in parts ? parts[Symbol.asyncIterator]() : parts[Symbol.iterator]();
  // A socket that accepts all parts at once would block all other work.
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
