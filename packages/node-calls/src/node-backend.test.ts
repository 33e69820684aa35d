import { expect, test } from "vitest";
import { answered } from "./node-answer.js";
import { type NodeBackend, sparingOfflineNodes } from "./node-backend.js";

const caller = { lease: "1:1", signal: new AbortController().signal };

test("offline nodes are not called, except by calls for nodes that come back or are power cycled", async () => {
  const asked: string[] = [];
  const nodes: NodeBackend = {
    introduce: async () => {},
    call: async (node, name) => {
      asked.push(`${node} ${name}`);
      return answered(null) as never;
    },
  };
  const sparing = sparingOfflineNodes(nodes, (node) => node === "off");
  expect(await sparing.call("off", "vg_list", {}, caller)).toEqual({
    ok: false,
    offline: true,
    message: "Node is marked offline",
  });
  await sparing.call("off", "node_powercycle", { name: "kvm", hvparams: {} }, caller);
  await sparing.call("on", "vg_list", {}, caller);
  expect(asked).toEqual(["off node_powercycle", "on vg_list"]);
});
