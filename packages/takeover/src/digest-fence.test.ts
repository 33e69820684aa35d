import { spawn } from "node:child_process";
import { answered, type NodeBackend } from "@ganeti-ts/node-calls";
import type { ServerPlace } from "@ganeti-ts/store/postgres";
import { aSnapshot } from "@ganeti-ts/testkit/configuration";
import { expect, test } from "vitest";
import { digestFence } from "./digest-fence.js";
import { isAlive, processIdentity } from "./shared-records.js";

const signal = { aborted: false, reason: undefined } as never;

/** A fence of a server with certificate `OWN`, and all calls that it has made. */
function fenceOver(places: Readonly<Record<string, ServerPlace>>) {
  const calls: unknown[] = [];
  const nodes = {
    introduce: async () => undefined,
    call: async (...[node, name, args]: readonly unknown[]) => {
      calls.push([node, name, args]);
      return answered(null);
    },
  } as unknown as NodeBackend;
  const before = aSnapshot();
  const object = { ...before.cluster, candidate_certs: { b: "OWN", c: "THIRD" } };
  const now = before.with([{ kind: "cluster", object }], { serial: 2, mtime: 1 });
  const servers = { placeOf: async (lease: string) => places[lease] };
  return {
    calls,
    fence: digestFence({ nodes, now: () => now, servers, own: { uuid: "b", digest: "OWN" } }),
  };
}

const place = (digest: string, process = "boot 1 2"): ServerPlace => ({
  ...{ uuid: "a", name: "node1", digest, process },
});

test("a dead server of another node is refused by a list of certificates without its own", async () => {
  const { fence, calls } = fenceOver({ "1:1": place("OLD") });
  expect(await fence.fence("n", ["1:1"], signal)).toEqual(answered(null));
  const values = { master_candidates_certs: ["b=OWN", "c=THIRD"] };
  expect(calls).toEqual([["n", "write_ssconf_files", { values }]]);
});

test("servers that have never called nodes need no refusal", async () => {
  const { fence, calls } = fenceOver({});
  expect(await fence.fence("n", ["7:1"], signal)).toEqual(answered(null));
  expect(calls).toEqual([]);
});

test("nothing is done on nodes while the process of an earlier server of this machine exists", async () => {
  const child = spawn("sleep", ["60"]);
  const identity = (await processIdentity(child.pid as number)) as string;
  const { fence, calls } = fenceOver({ "1:1": place("OWN", identity) });
  expect(await fence.fence("n", ["1:1"], signal)).toMatchObject({
    ok: false,
    message: `process ${child.pid} on this machine has lost its lease but still exists: end it first`,
  });
  child.kill("SIGKILL");
  await new Promise((resolve) => child.once("exit", resolve));
  expect(await fence.fence("n", ["1:1"], signal)).toEqual(answered(null));
  expect(calls).toEqual([]);
});

test("an earlier server of this machine is found even after the machine's certificate was replaced", async () => {
  const child = spawn("sleep", ["60"]);
  const identity = (await processIdentity(child.pid as number)) as string;
  const { fence, calls } = fenceOver({ "1:1": { ...place("FORMER", identity), uuid: "b" } });
  expect(await fence.fence("n", ["1:1"], signal)).toMatchObject({ ok: false });
  child.kill("SIGKILL");
  await new Promise((resolve) => child.once("exit", resolve));
  expect(await fence.fence("n", ["1:1"], signal)).toEqual(answered(null));
  expect(calls).toEqual([]);
});

test("a reused process number does not count as the earlier process", async () => {
  const identity = (await processIdentity(process.pid)) as string;
  expect(await isAlive({ process: identity })).toBe(true);
  expect(await isAlive({ process: `${identity}0` })).toBe(false);
  expect(await isAlive({ process: identity.replace(/^\S+/, "another-boot") })).toBe(false);
});
