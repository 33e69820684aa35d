import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type BodyLimits, BodyReader, usualBodyLimits } from "./body.js";
import { ClientGone } from "./fault.js";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Lets sent bytes arrive without advancing the clock. */
const delivered = () => new Promise((resolve) => setImmediate(resolve));

/** A body of 1000 bytes that is being sent, and its outcome. */
function aBody(limits: Partial<BodyLimits>) {
  const connection = new PassThrough();
  const reader = new BodyReader({ ...usualBodyLimits, ...limits });
  const request = new Request("http://a/", {
    headers: { "content-type": "application/json", "content-length": "1000" },
  });
  let outcome: unknown = "under way";
  reader
    .read({ incoming: connection as unknown as IncomingMessage, request, client: "a" })
    .then((body) => {
      outcome = body.parse();
    })
    .catch((error) => {
      outcome = error;
    });
  return { connection, outcome: () => outcome };
}

const limits = { graceMs: 1000, rateMin: 10 };

test("a body is cut as soon as its average rate is below the minimum, after the grace", async () => {
  const { connection, outcome } = aBody(limits);
  connection.write(" ".repeat(50));
  await delivered();
  // 50 bytes at 10 per second allow 5 s, after 1 s of grace.
  vi.advanceTimersByTime(5999);
  await delivered();
  expect(outcome()).toBe("under way");
  vi.advanceTimersByTime(1);
  await delivered();
  expect(outcome()).toMatchObject({ status: 408, headers: { connection: "close" } });
});

test("a body that keeps the minimum rate is accepted, however long it takes", async () => {
  const { connection, outcome } = aBody(limits);
  for (let sent = 0; sent < 990; sent += 10) {
    connection.write(" ".repeat(10));
    await delivered();
    vi.advanceTimersByTime(1000);
  }
  connection.end("[1, 2, 3] ");
  await delivered();
  expect(outcome()).toEqual([1, 2, 3]);
});

test("a body without a single byte is cut at the end of the grace period", async () => {
  const { outcome } = aBody(limits);
  vi.advanceTimersByTime(1000);
  await delivered();
  expect(outcome()).toMatchObject({ status: 408 });
});

test("a body is abandoned when its connection closes, before or during the reading", async () => {
  const { connection, outcome } = aBody(limits);
  connection.write("[");
  await delivered();
  connection.destroy();
  await delivered();
  expect(outcome()).toBeInstanceOf(ClientGone);

  const closed = new PassThrough();
  closed.destroy();
  await delivered();
  const request = new Request("http://a/", { headers: { "content-length": "9" } });
  const source = { incoming: closed as unknown as IncomingMessage, request, client: "a" };
  await expect(new BodyReader(usualBodyLimits).read(source)).rejects.toBeInstanceOf(ClientGone);
});
