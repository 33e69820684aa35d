// Mutated, oversized, slow and truncated answers of a node: each results in a failed call with a text.
import { catalogEntry } from "@ganeti-ts/node-calls/catalog";
import { Dice, VirtualClock } from "@ganeti-ts/testkit/simulation";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createNodeRpcClient, type NodeRpcClient } from "../src/index.js";
import { answerBytesMax, badAnswers } from "./hostile/behaviours.js";
import { type HostileDaemon, hostileDaemon } from "./hostile/daemon.js";
import { type KnownExchange, knownExchanges } from "./hostile/known.js";
import { exchangesWanted, heapAfterCollection, Unhandled } from "./hostile/watch.js";
import { caller, certificates, loopbackNode } from "./loopback.js";

const wanted = exchangesWanted();
const classes = Object.entries(badAnswers);

/** Undefined if the call has not ended after a time that is long enough for any machine. */
async function unlessStuck<T>(call: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), 300_000);
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
}

describe("Bad answers of a node", () => {
  const clock = new VirtualClock();
  const unhandled = new Unhandled();
  let daemon: HostileDaemon;
  let client: NodeRpcClient;
  let known: readonly KnownExchange[];

  beforeAll(async () => {
    unhandled.watch();
    known = await knownExchanges();
    daemon = await hostileDaemon();
    client = createNodeRpcClient({ ...certificates, port: daemon.port, clock, answerBytesMax });
    // Several nodes, because mirrors need two of them.
    for (const uuid of ["A", "B", "C"]) await client.introduce(loopbackNode(uuid));
  });
  afterAll(async () => {
    await daemon?.close();
    unhandled.end();
  });

  /** Fault in what the client makes of a bad answer; undefined if there is none. */
  async function faultOf(seed: number, kind: string): Promise<string | undefined> {
    const dice = new Dice(seed);
    const exchange = dice.pick(known);
    const { make, hangs, canBeGood } = badAnswers[kind] as (typeof badAnswers)[string];
    const done = daemon.next(make(dice, exchange));
    const { name, args } = exchange;
    const call = client.call("A", name, args as never, caller);
    if (hangs) {
      await done;
      // Longer than the timeout of any class.
      await clock.pass(2 * 86_400_000);
    }
    const problem = (text: string) => `${kind}, seed ${seed}, ${name}: ${text}`;
    const answer = await unlessStuck(call);
    if (answer === undefined) {
      await clock.pass(2 * 86_400_000);
      return problem(`only a limit of time ends it: ${JSON.stringify(await call)}`);
    }
    if (!answer.ok) {
      if (typeof answer.message === "string" && answer.message !== "") {
        if (hangs && !/^Error 28: /.test(answer.message)) return problem(answer.message);
        return answer.message.length > 66_000 ? problem("a text of megabytes") : undefined;
      }
      return problem("no text");
    }
    if (!canBeGood) return problem(`success: ${JSON.stringify(answer.value)}`);
    const valid = catalogEntry(name).value.safeParse(answer.value);
    return valid.success ? undefined : problem(`a wrong value: ${valid.error.message}`);
  }

  test("the exchanges to be mutated contain every call", () => {
    expect(new Set(known.map(({ name }) => name)).size).toBe(108);
  });

  test(`${wanted} bad answers are failed calls with a text, or still good`, async () => {
    const faults: string[] = [];
    let heapEarly = 0;
    for (let seed = 0; seed < wanted; seed++) {
      const [kind = ""] = classes[seed % classes.length] ?? [];
      const fault = await faultOf(seed, kind);
      if (fault !== undefined) faults.push(fault);
      if (faults.length > 10) break;
      if (seed === Math.floor(wanted / 4)) heapEarly = heapAfterCollection();
    }
    expect(faults).toEqual([]);
    // A leak of 1 KiB for each bad answer.
    expect(heapAfterCollection() - heapEarly).toBeLessThan(2_000_000 + wanted * 768);
    expect(unhandled.errors).toEqual([]);
    expect(client.metrics()).toMatchObject({ running: 0, waiting: 0 });
    // Every call must have closed its connection.
    await expect.poll(() => daemon.open.size).toBe(0);
  });

  test("after all of them, a good answer is a value", async () => {
    const version = known.find(({ name }) => name === "version") as KnownExchange;
    daemon.next(async ({ requested }) => {
      (await requested()).end("HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n[true, 3000000]");
    });
    const answer = await client.call("A", "version", version.args as never, caller);
    expect(answer).toEqual({ ok: true, value: { protocol: 3_000_000 } });
  });
});
