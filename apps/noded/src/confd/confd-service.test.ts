import { VirtualClock } from "@ganeti-ts/testkit/simulation";
import { expect, test } from "vitest";
import { confdWhileCandidate, type RunningConfd } from "./confd-service.js";

/** A service on a virtual clock; the test decides its role, its start and its end. */
function aService(start: () => Promise<void> = async () => {}) {
  const clock = new VirtualClock();
  const state = { isServed: false, started: 0, open: 0, hasEnded: false };
  const logged: string[] = [];
  const log = {
    info: (text: string) => void logged.push(text),
    warn: (text: string) => void logged.push(text),
  };
  const service = confdWhileCandidate({
    isServed: () => state.isServed,
    async start(): Promise<RunningConfd> {
      await start();
      state.started++;
      state.open++;
      state.hasEnded = false;
      return { hasEnded: () => state.hasEnded, close: async () => void state.open-- };
    },
    ...{ clock, log },
  });
  return { clock, state, logged, service };
}

test("the server runs while the node serves, whatever the order of its roles", async () => {
  const { clock, state, logged, service } = aService();
  for (const isServed of [false, true, true, false, false, true, false, true]) {
    state.isServed = isServed;
    await clock.pass(5_000);
    expect(state.open).toBe(isServed ? 1 : 0);
  }
  expect(state.started).toBe(3);
  expect(logged).toEqual(Array(2).fill("configuration queries are no longer answered"));
  await service.close();
  expect(state.open).toBe(0);
});

test("an address in use is tried again until it is free, and logged once", async () => {
  let failures = 4;
  const { clock, state, logged, service } = aService(async () => {
    if (failures-- > 0) throw new Error("bind EADDRINUSE 192.0.2.1:1814");
  });
  state.isServed = true;
  await clock.pass(15_000);
  expect([state.open, logged]).toEqual([
    0,
    ["configuration queries are not answered: bind EADDRINUSE 192.0.2.1:1814"],
  ]);
  await clock.pass(10_000);
  expect(state.open).toBe(1);
  await service.close();
});

test("a server that has ended by itself is started again", async () => {
  const { clock, state, service } = aService();
  state.isServed = true;
  await clock.pass(5_000);
  state.hasEnded = true;
  await clock.pass(5_000);
  expect(state.started).toBe(2);
  await service.close();
});

test("a service that has ended no longer checks the role of its node", async () => {
  const { clock, state, service } = aService();
  await service.close();
  state.isServed = true;
  await clock.pass(60_000);
  expect(state.started).toBe(0);
});
