import type { NodeBackend, NodeCaller } from "@ganeti-ts/node-calls";
import { expect, test } from "vitest";
import { consolesHere } from "./consoles-here.js";

const caller: NodeCaller = { lease: "1:1", signal: new AbortController().signal };

test("no console of a twin leads to a machine of the original, and other answers stay unchanged", async () => {
  const ssh = { instance: "web", kind: "ssh", host: "node3", user: "root", command: ["xl"] };
  const answers: Record<string, unknown> = {
    instance_console_info: { web: ssh },
    version: { protocol: 3_000_000 },
  };
  const nodes = consolesHere({
    introduce: async () => {},
    call: async (_, name) => ({ ok: true, value: answers[name] as never }),
  } satisfies NodeBackend);
  const consoles = await nodes.call("uuid", "instance_console_info", { instances: {} }, caller);
  expect(consoles).toEqual({
    ok: true,
    value: { web: { instance: "web", kind: "msg", message: expect.stringContaining("twin") } },
  });
  expect(await nodes.call("uuid", "version", {}, caller)).toEqual({
    ok: true,
    value: answers.version,
  });
});
