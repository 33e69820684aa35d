import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { answered, type NodeBackend } from "@ganeti-ts/node-calls";
import { VirtualClock } from "@ganeti-ts/testkit/simulation";
import { afterEach, beforeEach, expect, test } from "vitest";
import { callsInFlight, openCallsFile } from "./calls-in-flight.js";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "calls-in-flight-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const openCallsInFlight = async (path: string, clock: VirtualClock) =>
  callsInFlight(await openCallsFile(path, clock), clock);

const file = () => join(folder, "calls.jsonl");
const lines = () => readFileSync(file(), "utf8").split("\n").slice(0, -1);

const signal = { aborted: false, reason: undefined } as never;
const shutdown = (nodes: NodeBackend, lease: string) =>
  nodes.call("a", "node_leave_cluster", { modifySshSetup: false }, { lease, signal });

/** Nodes that answer on request; `recorded` is the content of the file when the call arrived. */
function slowNodes() {
  const arrived: { readonly recorded: readonly string[]; readonly answer: () => void }[] = [];
  const nodes: NodeBackend = {
    introduce: async () => undefined,
    call: () =>
      new Promise((resolve) => {
        arrived.push({ recorded: lines(), answer: () => resolve(answered(null) as never) });
      }),
  };
  return { nodes, arrived };
}

const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
};

test("a changing call is on disk before it is sent, and its end afterwards", async () => {
  const { nodes, arrived } = slowNodes();
  const inFlight = await openCallsInFlight(file(), new VirtualClock());
  const answer = shutdown(inFlight.recording(nodes), "1:1");
  await until(() => arrived.length === 1);
  expect(arrived[0]?.recorded).toHaveLength(1);
  expect(JSON.parse(arrived[0]?.recorded[0] ?? "")).toMatchObject({
    lease: "1:1",
    node: "a",
    call: "node_leave_cluster",
  });
  arrived[0]?.answer();
  expect(await answer).toEqual(answered(null));
  await until(() => lines().length === 2);
});

test("calls that only look, short ones, and copies of whole files are not recorded", async () => {
  const { nodes, arrived } = slowNodes();
  const inFlight = await openCallsInFlight(file(), new VirtualClock());
  void inFlight.recording(nodes).call("a", "version", {}, { lease: "1:1", signal });
  await until(() => arrived.length === 1);
  expect(arrived[0]?.recorded).toEqual([]);
  const values = { master_node: "node1.example.com" };
  const caller = { lease: "1:1", signal };
  void inFlight.recording(nodes).call("a", "write_ssconf_files", { values }, caller);
  await until(() => arrived.length === 2);
  expect(arrived[1]?.recorded).toEqual([]);
});

test("a successor waits for the calls of a dead server, for no other lease, and at most 15 minutes", async () => {
  const clock = new VirtualClock();
  const { nodes, arrived } = slowNodes();
  const dead = (await openCallsInFlight(file(), clock)).recording(nodes);
  void shutdown(dead, "1:1");
  void shutdown(dead, "1:1");
  await until(() => arrived.length === 2);
  arrived[0]?.answer();
  await until(() => lines().length === 3);

  const successor = await openCallsInFlight(file(), clock);
  expect(lines()).toHaveLength(1);
  await successor.ended("2:1");
  let isOver = false;
  const over = successor.ended("1:1").then(() => {
    isOver = true;
  });
  await clock.pass(899_000);
  expect(isOver).toBe(false);
  await clock.pass(2000);
  await over;
});

test("ended calls and a truncated line delay no successor", async () => {
  const clock = new VirtualClock();
  const old = { key: "1:1#0", lease: "1:1", node: "a", call: "node_leave_cluster", until: 0 };
  writeFileSync(file(), `${JSON.stringify(old)}\n{"key":"1:1#1","lea`);
  await (await openCallsInFlight(file(), clock)).ended("1:1");
  expect(lines()).toEqual([]);
});
