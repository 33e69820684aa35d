import { expect, test } from "vitest";
import { bodyOf, joined } from "./parts.js";

const part = (length: number, byte: number) => new Uint8Array(length).fill(byte);

test.each([
  { why: "nothing", parts: [] },
  { why: "a few bytes", parts: [part(1, 1), part(2, 2)] },
  { why: "more than is put together", parts: [part(1, 1), part(2 ** 20, 2), part(3, 3)] },
])("a body of $why consists of all parts in their order", async ({ parts }) => {
  const body = Buffer.from(await new Response(bodyOf(parts)).arrayBuffer());
  expect(Buffer.compare(body, Buffer.concat(parts))).toBe(0);
});

test("small parts are joined once, large ones never", () => {
  expect(joined([part(1, 1), part(2, 2)])).toEqual([Buffer.from([1, 2, 2])]);
  const large = [part(2 ** 20, 1), part(1, 2)];
  expect(joined(large)).toBe(large);
});
