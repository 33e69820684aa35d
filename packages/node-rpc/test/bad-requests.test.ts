// Mutated, oversized, slow and truncated requests to the server: it refuses them and keeps working.
import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";
import type { NodeBackend, NodeCallArguments, NodeCallName } from "@ganeti-ts/node-calls";
import { failed } from "@ganeti-ts/node-calls";
import { catalogEntry } from "@ganeti-ts/node-calls/catalog";
import { Dice } from "@ganeti-ts/testkit/simulation";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeAnswer, type NodeRpcServer, noNodes } from "../src/index.js";
import { type KnownExchange, knownExchanges } from "./hostile/known.js";
import { badRequests, bodyBytesMax } from "./hostile/requests.js";
import { exchangesWanted, heapAfterCollection, Unhandled } from "./hostile/watch.js";
import { caller, clientOf, pems, serve } from "./loopback.js";

const wanted = exchangesWanted();
const classes = Object.entries(badRequests);
/** Number of concurrent requests; some end at a time limit only, so that waiting for several at once saves time. */
const atATime = 32;

describe("Bad requests to a node", () => {
  const unhandled = new Unhandled();
  /** Calls that have reached the back end. */
  const reached: { readonly name: NodeCallName; readonly fault?: string }[] = [];
  let server: NodeRpcServer;
  let known: readonly KnownExchange[];

  /** Answers each call with the recorded answer of a good node; checks the arguments. */
  const nodes = {
    introduce: async () => {},
    async call(_: string, name: NodeCallName, args: NodeCallArguments<NodeCallName>) {
      const valid = catalogEntry(name).arguments.safeParse(args);
      reached.push({ name, ...(!valid.success && { fault: valid.error.message }) });
      const answer = known.find((one) => one.name === name)?.answer ?? null;
      const decoded = decodeAnswer(name, answer, noNodes);
      return decoded.ok ? decoded : failed(decoded.message);
    },
  } as unknown as NodeBackend;

  beforeAll(async () => {
    unhandled.watch();
    known = await knownExchanges();
    server = await serve(nodes, "A", { receiveMs: 500, bodyBytesMax });
  });
  afterAll(async () => {
    await server?.close();
    unhandled.end();
  });

  async function secured(): Promise<TLSSocket> {
    const { server: ca, client: cert } = pems;
    const own = {
      ca,
      cert,
      key: cert,
      maxVersion: "TLSv1.2",
      checkServerIdentity: () => undefined,
    };
    // On a busy machine the handshake may reach the server's short limit of time.
    for (let attempt = 1; ; attempt++) {
      const socket = connect({ host: "127.0.0.1", port: server.port, ...own } as never);
      try {
        await once(socket, "secureConnect");
        return socket;
      } catch (error) {
        if (attempt === 20 || (error as NodeJS.ErrnoException).code !== "ECONNRESET") throw error;
      }
    }
  }

  /** Everything the server sends until the connection ends. */
  async function answerTo(seed: number, kind: string): Promise<string> {
    const dice = new Dice(seed);
    const { bytes, afterwards } = badRequests[kind]?.(dice, dice.pick(known)) ?? {
      bytes: Buffer.of(),
    };
    const socket = await secured();
    const parts: Buffer[] = [];
    socket.on("error", () => {}).on("data", (data) => parts.push(data));
    const ended = new Promise((resolve) => socket.on("close", resolve));
    if (afterwards === "end") socket.end(bytes);
    else socket.write(bytes);
    if (afterwards === "destroy") setImmediate(() => socket.destroy());
    await ended;
    return Buffer.concat(parts).toString();
  }

  /** Fault of the answer; undefined if there is none. No answer counts as a refusal, too. */
  function faultOf(text: string): string | undefined {
    if (text === "") return undefined;
    const [, status = "", body = ""] = /^HTTP\/1\.1 (\d+) .*?\r\n\r\n(.*)$/s.exec(text) ?? [];
    if (["400", "404", "408", "413", "417", "431", "501"].includes(status)) return undefined;
    if (status === "100") return undefined;
    if (status !== "200") return `status ${status}`;
    const [success, payload] = JSON.parse(body) as [boolean, unknown];
    if (success === true) return undefined;
    return payload === "" || payload === undefined ? "a failure without a text" : undefined;
  }

  test(`${wanted} bad requests are refused, or still good`, async () => {
    const faults: string[] = [];
    const counts = new Map<string, number>();
    let [next, heapEarly] = [0, 0];
    const work = async () => {
      while (next < wanted && faults.length < 10) {
        const seed = next++;
        const [kind = ""] = classes[seed % classes.length] ?? [];
        const text = await answerTo(seed, kind);
        const status = text.slice(9, 12) || "none";
        counts.set(status, (counts.get(status) ?? 0) + 1);
        const fault = faultOf(text);
        if (fault !== undefined) faults.push(`${kind}, seed ${seed}: ${fault}: ${text}`);
        if (seed === Math.floor(wanted / 4)) heapEarly = heapAfterCollection();
      }
    };
    await Promise.all(Array.from({ length: atATime }, work));
    expect(faults).toEqual([]);
    expect(reached.flatMap(({ fault }) => fault ?? [])).toEqual([]);
    // Some requests were refused and some reached the back end.
    expect(reached.length).toBeGreaterThan(wanted / 50);
    for (const status of ["200", "400", "404", "none"])
      expect([...counts.keys()]).toContain(status);
    expect(heapAfterCollection() - heapEarly).toBeLessThan(4_000_000 + wanted * 768);
    expect(unhandled.errors).toEqual([]);
  });

  test.each([
    ["a host", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["the path of a call", "CONNECT /version HTTP/1.0\r\n\r\n"],
    ["much behind it", `CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n${"A".repeat(100_000)}`],
  ])("CONNECT with %s is answered, and its connection ends", async (_, bytes) => {
    const socket = await secured();
    const parts: Buffer[] = [];
    socket.on("error", () => {}).on("data", (data) => parts.push(data));
    socket.write(bytes);
    await once(socket, "close");
    expect(Buffer.concat(parts).toString()).toMatch(/^HTTP\/1\.1 501 Not Implemented\r\n/);
  });

  test("after all of them, a good request has an answer", async () => {
    const client = await clientOf(server.port);
    const answer = await client.call("A", "version", {}, caller);
    expect(answer).toMatchObject({ ok: true });
  });
});
