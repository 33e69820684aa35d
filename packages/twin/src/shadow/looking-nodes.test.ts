import { answered, type NodeBackend, type NodeCallName } from "@ganeti-ts/node-calls";
import { catalogEntry, nodeCalls } from "@ganeti-ts/node-calls/catalog";
import { expect, test } from "vitest";
import { lookingCalls, lookingNodes } from "./looking-nodes.js";

const names = Object.keys(nodeCalls) as NodeCallName[];
const caller = { lease: "1:1", signal: { aborted: false, reason: undefined } } as never;

test.each(names)(
  "the call %s reaches a node only if its repetition has no effect",
  async (name) => {
    const sent: string[] = [];
    const nodes: NodeBackend = {
      introduce: async () => undefined,
      call: async (_, call) => {
        sent.push(call);
        return answered(null) as never;
      },
    };
    const answer = await lookingNodes(nodes).call("node", name, {} as never, caller);
    expect(sent).toEqual(answer.ok ? [name] : []);
    if (catalogEntry(name).repeat !== "looks") expect(answer.ok).toBe(false);
  },
);

test("the only read-only calls that are not sent are those that run programs or take long", () => {
  const others = names.filter(
    (name) => catalogEntry(name).repeat === "looks" && !lookingCalls.has(name),
  );
  expect(others.sort()).toEqual([
    ...["drbd_wait_sync", "iallocator_runner", "impexp_status", "node_crypto_tokens"],
    ...["os_validate", "test_delay"],
  ]);
});
