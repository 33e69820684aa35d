// A server that accepts connections and does not answer, like a stopped process: requests end, and the stream is
// reopened. Seen to fail without limits, and with pulses that do not count.
import { afterEach, beforeEach, expect, test, vi } from "vitest";

/** Streams that have been opened, the latest last. */
const streams: Stream[] = [];

class Stream extends EventTarget {
  static readonly CLOSED = 2;
  readyState = 0;
  onopen = () => {};
  onerror = () => {};

  constructor() {
    super();
    streams.push(this);
  }

  close(): void {
    this.readyState = Stream.CLOSED;
  }

  say(kind: string): void {
    this.dispatchEvent(Object.assign(new Event(kind), { data: "{}" }));
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetModules();
  vi.stubGlobal("EventSource", Stream);
  vi.stubGlobal("addEventListener", () => {});
  streams.length = 0;
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("a stream without pulses is reopened until the server answers, and then everything is read again", async () => {
  const { onEvent, openStream } = await import("../src/api/live.js");
  const heard: string[] = [];
  onEvent(({ topic }) => heard.push(topic));
  const close = openStream();
  streams[0]?.onopen();
  for (let minute = 0; minute < 4; minute++) {
    await vi.advanceTimersByTimeAsync(15_000);
    streams[0]?.say("pulse");
  }
  await vi.advanceTimersByTimeAsync(39_999);
  expect(streams).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(streams.map(({ readyState }) => readyState)).toEqual([Stream.CLOSED, 0]);
  await vi.advanceTimersByTimeAsync(40_000);
  expect(streams).toHaveLength(3);
  expect(heard).toEqual([]);
  streams[2]?.onopen();
  expect(heard).toEqual(["reset"]);
  close();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(streams).toHaveLength(3);
});

/** Never answers, and ends with its signal. */
const silent = (_: string, { signal }: { signal: AbortSignal }) =>
  new Promise((_resolve, reject) =>
    signal.addEventListener("abort", () => reject(signal.reason as Error)),
  );

test.each([
  ["a reading", "GET", undefined, 30, "The page tries again by itself."],
  ["a change", "DELETE", undefined, 30, "It may have carried out the request"],
  ["a plan", "POST", new AbortController().signal, 600, "for 600 seconds."],
])(
  "%s ends when no answer begins, with an error that tells what is known",
  async (_, method, signal, s, text) => {
    vi.stubGlobal("fetch", silent);
    const { ask } = await import("../src/api/server.js");
    let said: unknown;
    void ask(method, "/2/instances/web", undefined, signal).catch((error: unknown) => {
      said = error;
    });
    await vi.advanceTimersByTimeAsync(s * 1000 - 1);
    expect(said).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(said).toMatchObject({ status: 0, message: expect.stringContaining(text) });
  },
);
