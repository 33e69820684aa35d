// `/ganeti-ts/1/events`: order, resumption, slow readers, rights, and the end of streams.
import { get, type IncomingMessage } from "node:http";
import { Events } from "@ganeti-ts/cluster";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createServer } from "../src/server.js";
import type { World } from "../src/world.js";
import { endOf } from "./instances.js";
import { aServer, type TestServer } from "./served.js";
import { aWorld } from "./world.js";

const path = "/ganeti-ts/1/events";
const base = await aWorld();

interface Seen {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

interface Stream {
  /** The next `count` events. */
  take(count: number): Promise<readonly Seen[]>;
  /** All events up to the end. */
  rest(): Promise<readonly Seen[]>;
  leave(): Promise<void>;
}

const appOf = new WeakMap<Events, ReturnType<typeof createServer>>();

/** The answer of a server with these events, which all their followers share. */
async function requested(events: Events, headers: Record<string, string> = {}, query = "") {
  const world: World = { ...base, events };
  const app = appOf.get(events) ?? createServer(world);
  appOf.set(events, app);
  return app.request(`${path}${query}`, {
    headers: { authorization: `Basic ${btoa("reader:look")}`, ...headers },
  });
}

/** Follows these events. */
async function follow(...asked: Parameters<typeof requested>) {
  const response = await requested(...asked);
  return { response, stream: streamOf(response) };
}

function streamOf({ body }: Response): Stream {
  const reader = (body as ReadableStream<Uint8Array>)
    .pipeThrough(new TextDecoderStream())
    .getReader();
  let text = "";
  const seen: Seen[] = [];
  /** False at the end. */
  const more = async (): Promise<boolean> => {
    const { done, value } = await reader.read();
    if (done) return false;
    const whole = `${text}${value}`;
    const end = whole.lastIndexOf("\n\n") + 1;
    text = end === 0 ? whole : whole.slice(end + 1);
    if (end > 0) seen.push(...eventsIn(whole.slice(0, end + 1)));
    return true;
  };
  return {
    async take(count) {
      while (seen.length < count) {
        if (!(await more())) throw new Error("the stream has ended");
      }
      return seen.splice(0, count);
    },
    async rest() {
      while (await more());
      return seen;
    },
    leave: () => reader.cancel(),
  };
}

const eventsIn = (text: string): Seen[] =>
  text
    .split("\n\n")
    .slice(0, -1)
    .flatMap((block) => {
      const lines = block.split("\n").map((line) => line.split(/: ?(.*)/s) as [string, string]);
      const { id, event, data } = Object.fromEntries(lines);
      return id === undefined ? [] : [{ id, event: event ?? "", data: data ?? "" }];
    });

const added = (events: Events, count: number) => {
  for (let number = 1; number <= count; number++) events.add("job", `{"n":${events.last + 1}}`);
};
const numbers = (seen: readonly Seen[]) => seen.map(({ data }) => JSON.parse(data).n);

describe("followers of events", () => {
  test("a new follower gets later events in order, each with its id", async () => {
    const events = new Events("e");
    added(events, 3);
    const { response, stream } = await follow(events);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(response.headers.get("cache-control")).toBe("no-store");
    events.add("config", "{}");
    events.add("job", '{"n":5}');
    expect(await stream.take(2)).toEqual([
      { id: "e:4", event: "config", data: "{}" },
      { id: "e:5", event: "job", data: '{"n":5}' },
    ]);
    await stream.leave();
    expect(events.followerCount).toBe(0);
  });

  test("a follower gets a pulse every 15 s, which does not count as a seen event", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      const events = new Events("e");
      const { body } = await requested(events);
      const reader = (body as ReadableStream<Uint8Array>).getReader();
      const next = async () => new TextDecoder().decode((await reader.read()).value);
      expect(await next()).toBe(":\n\n");
      for (let pulse = 0; pulse < 2; pulse++) {
        vi.advanceTimersByTime(15_000);
        expect(await next()).toBe("event: pulse\ndata: {}\n\n");
      }
      await reader.cancel();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test("a follower that returns with its last id misses no event and gets none twice", async () => {
    let resumed = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(fc.nat(5), fc.integer({ min: 1, max: 20 }), fc.nat(20), fc.nat(20), fc.boolean()),
        async ([before, during, read, away, inHeader]) => {
          const events = new Events("e");
          added(events, before);
          const first = (await follow(events)).stream;
          added(events, during);
          const taken = await first.take(Math.min(read, during));
          await first.leave();
          added(events, away);
          const id = taken.at(-1)?.id ?? `e:${before}`;
          const second = inHeader
            ? await follow(events, { "last-event-id": id })
            : await follow(events, {}, `?since=${id}`);
          added(events, 1);
          const left = before + during + away + 1 - (before + taken.length);
          if (left > 1) resumed += 1;
          const all = [...numbers(taken), ...numbers(await second.stream.take(left))];
          await second.stream.leave();
          const wanted = Array.from({ length: during + away + 1 }, (_, at) => before + at + 1);
          expect(all).toEqual(wanted);
          expect(events.followerCount).toBe(0);
        },
      ),
      { numRuns: 60 },
    );
    expect(resumed).toBeGreaterThan(10);
  });

  test.each([
    ["of another process", "other:1"],
    ["that there has not been yet", "e:4"],
    ["that is none", "e:x"],
    ["with more than an id", "e:1\u0000"],
    ["below zero", "e:-1"],
  ])("and comes back with an id %s begins anew", async (_, id) => {
    const events = new Events("e");
    added(events, 3);
    const { stream } = await follow(events, {}, `?since=${encodeURIComponent(id)}`);
    added(events, 1);
    expect(await stream.take(2)).toEqual([
      { id: "e:3", event: "reset", data: "{}" },
      { id: "e:4", event: "job", data: '{"n":4}' },
    ]);
    await stream.leave();
  });

  test("a follower that returns after more events than are kept is reset", async () => {
    const events = new Events("e");
    added(events, 20_001);
    const late = await follow(events, { "last-event-id": "e:1" });
    expect((await late.stream.take(1))[0]?.event).toBe("reset");
    await late.stream.leave();
    const soon = await follow(events, { "last-event-id": "e:10001" });
    expect(numbers(await soon.stream.take(10_000)).at(-1)).toBe(20_001);
    await soon.stream.leave();
  });

  test("a follower that returns after more bytes than are kept is reset, however few the events", async () => {
    const events = new Events("e");
    const data = `{"n":1,"text":"${"x".repeat(2 ** 20)}"}`;
    for (let one = 0; one < 20; one++) events.add("config", data);
    expect(events.since(0)).toBeUndefined();
    const kept = Array.from({ length: 21 }, (_, number) => events.since(number)?.length);
    const most = Math.max(...kept.map((count) => count ?? 0));
    expect(most).toBeGreaterThan(5);
    expect(most).toBeLessThanOrEqual(16);
  });

  test("a follower gets an event that is longer than all kept ones together", async () => {
    const events = new Events("e");
    const { stream } = await follow(events);
    events.add("config", `{"n":1,"text":"${"x".repeat(17 * 2 ** 20)}"}`);
    expect(numbers(await stream.take(1))).toEqual([1]);
    expect(events.since(0)).toBeUndefined();
    await stream.leave();
  });

  test("followers share the bytes of an event, and those of the same missed events", async () => {
    const events = new Events("e");
    added(events, 3);
    const headers = { "last-event-id": "e:1" };
    const app = createServer({ ...base, events });
    const authorization = `Basic ${btoa("reader:look")}`;
    const readers = await Promise.all(
      [{}, headers, headers].map(async (more) => {
        const { body } = await app.request(path, { headers: { authorization, ...more } });
        return body?.getReader();
      }),
    );
    const nextOfAll = async () =>
      Promise.all(readers.map(async (one) => (await one?.read())?.value));
    const [, missed, sameMissed] = await nextOfAll();
    expect(Buffer.from(missed ?? []).toString()).toMatch(/^:\n\nid: e:2\n[\s\S]*\nid: e:3\n/);
    expect(sameMissed).toBe(missed);
    events.add("job", '{"n":4}');
    events.add("job", '{"n":5}');
    for (const number of [4, 5]) {
      const [first, ...others] = await nextOfAll();
      expect(Buffer.from(first ?? []).toString()).toBe(
        `id: e:${number}\nevent: job\ndata: {"n":${number}}\n\n`,
      );
      for (const one of others) expect(one).toBe(first);
    }
    await Promise.all(readers.map((one) => one?.cancel()));
  });

  test("a follower that does not read a few long events is disconnected", async () => {
    const events = new Events("e");
    await follow(events);
    for (let one = 0; one < 20; one++) events.add("config", `{"text":"${"x".repeat(2 ** 20)}"}`);
    expect(events.followerCount).toBe(0);
  });

  test("a follower that does not read is disconnected, and resumes without loss", async () => {
    const events = new Events("e");
    const { stream } = await follow(events);
    const prompt = await follow(events);
    added(events, 500);
    expect(numbers(await prompt.stream.take(500))).toHaveLength(500);
    added(events, 1500);
    expect(events.followerCount).toBe(0);
    const kept = await stream.rest();
    expect(kept.length).toBeLessThan(1100);
    const { stream: back } = await follow(events, { "last-event-id": kept.at(-1)?.id ?? "" });
    const rest = await back.take(2000 - kept.length);
    expect(numbers([...kept, ...rest])).toEqual(Array.from({ length: 2000 }, (_, at) => at + 1));
    await back.leave();
  });

  test("is one of a hundred at most", async () => {
    const events = new Events("e");
    const all = await Promise.all(Array.from({ length: 100 }, () => follow(events)));
    expect((await follow(events)).response.status).toBe(503);
    await all[0]?.stream.leave();
    const again = await follow(events);
    expect(again.response.status).toBe(200);
    events.close();
    expect(events.followerCount).toBe(0);
    expect((await follow(events)).response.status).toBe(503);
    expect(await again.stream.rest()).toEqual([]);
  });

  test.each([
    ["nobody", null, 401],
    ["a user without options", "nobody:secret", 403],
    ["a wrong password", "reader:secret", 401],
    ["a reader", "reader:look", 200],
    ["a writer", "jack:abc123", 200],
  ])("is let in by his rights: %s", async (_, user, status) => {
    const headers: Record<string, string> = user ? { authorization: `Basic ${btoa(user)}` } : {};
    const response = await createServer(base).request(path, { headers });
    expect(response.status).toBe(status);
    await response.body?.cancel();
  });
});

describe("on a socket", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await aServer("--no-ssl");
  });
  afterAll(() => server.end());

  const connected = (): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const auth = "rita:look";
      get({ host: "127.0.0.1", port: server.port, path, auth }, resolve).on("error", reject);
    });

  const allOf = async (response: IncomingMessage): Promise<Seen[]> => {
    let text = "";
    for await (const chunk of response.setEncoding("utf8")) text += chunk;
    return eventsIn(text);
  };

  const until = async (holds: () => boolean) => {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
  };

  test("a client that hangs up is no longer followed by events", async () => {
    const { events } = server.world;
    const response = await connected();
    expect(events.followerCount).toBe(1);
    response.destroy();
    await until(() => events.followerCount === 0);
  });

  test("a client that stops reading is disconnected, while the others go on", async () => {
    const { events } = server.world;
    const [slow, prompt] = await Promise.all([connected(), connected()]);
    slow.pause();
    prompt.resume();
    const data = JSON.stringify("x".repeat(10_000));
    // The system buffers some MB, the server a thousand events.
    for (let added = 0; events.followerCount === 2 && added < 10_000; added += 50) {
      for (let one = 0; one < 50; one++) events.add("job", data);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(events.followerCount).toBe(1);
    slow.destroy();
    prompt.destroy();
    await until(() => events.followerCount === 0);
  });

  test("the event of a job with many opcodes has the first ones, and counts of the others", async () => {
    const response = await connected();
    const all = allOf(response);
    const { queue } = server.world;
    const id = await queue.submit(
      Array.from({ length: 100 }, () => ({ OP_ID: "OP_TAGS_GET", kind: "cluster" })),
    );
    await endOf(server, id);
    await until(() => queue.heldCount === 0);
    server = await server.again();
    const jobs = (await all)
      .filter(({ event }) => event === "job")
      .map(({ data }) => JSON.parse(data));
    const last = jobs.findLast((job) => job.id === id);
    expect([last.summary.length, last.opstatus.length]).toEqual([32, 32]);
    expect(Object.values(last.more).reduce((sum: number, count) => sum + Number(count), 0)).toBe(
      68,
    );
  });

  test("events of jobs and of the configuration keep their order; the stream ends with the server", async () => {
    const response = await connected();
    const all = allOf(response);
    const { queue } = server.world;
    const tags = { OP_ID: "OP_TAGS_SET", kind: "cluster", tags: ["a"] };
    const id = await queue.submit([tags]);
    expect(await endOf(server, id)).toEqual(["success", [null]]);
    await until(() => queue.heldCount === 0);
    server = await server.again();

    const seen = await all;
    expect(response.complete).toBe(true);
    const ids = seen.map((one) => Number(one.id.split(":")[1]));
    expect(ids).toEqual(ids.map((_, at) => (ids[0] ?? 0) + at));
    const jobs = seen.filter(({ event }) => event === "job").map(({ data }) => JSON.parse(data));
    expect(jobs.at(-1)).toEqual({
      id,
      status: "success",
      summary: ["TAGS_SET"],
      opstatus: ["success"],
    });
    const changes = seen.filter(({ event }) => event === "config").map(({ data }) => data);
    expect(changes.map((data) => JSON.parse(data).changes)).toContainEqual([
      { type: "cluster", change: "put" },
    ]);
    const at = (event: string, text: string) =>
      seen.findIndex((one) => one.event === event && one.data.includes(text));
    expect(at("config", '"cluster"')).toBeLessThan(at("job", '"success"'));
  });
});
