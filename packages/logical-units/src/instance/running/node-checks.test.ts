import type { NodeObject } from "@ganeti-ts/protocol";
import { noopOs } from "@ganeti-ts/simulated-nodes";
import { expect, test } from "vitest";
import { testCluster } from "../../../test/support/cluster.js";
import { simulatedNodes } from "../../../test/support/simulated.js";
import { type Answers, WatchedNodes } from "../../../test/support/watched-nodes.js";
import { contextAt, type World } from "../../unit/unit.js";
import type { GivenOsparams } from "./node-checks.js";
import { checkNodeNotDrained, checkNodeVmCapable, checkOsparams } from "./node-checks.js";

const clusterOf = async (node: Partial<NodeObject>, answers: Answers = {}) => {
  const backend = new WatchedNodes(await simulatedNodes({}, { nodeCount: 1 }), answers);
  const { config, nodes } = await testCluster(backend, { nodeCount: 1, node });
  const log: unknown[] = [];
  const { signal } = new AbortController();
  const world = {
    nodes: backend,
    signal,
    log: (line: unknown) => void log.push(line),
  } as unknown as World;
  return { now: config.snapshot, node: nodes[0] as NodeObject["uuid"], world, log, backend };
};

const none = { open: {}, hidden: {} };

test("drained nodes are refused for new instances", async () => {
  const { now, node } = await clusterOf({ drained: true });
  expect(() => checkNodeNotDrained(now, node)).toThrow("Can't use drained node node1.example.com");
  expect(() => checkNodeVmCapable(now, node)).not.toThrow();
});

test("nodes that are not vm_capable are refused and not called", async () => {
  const { now, node, world, backend } = await clusterOf({ vm_capable: false });
  expect(() => checkNodeVmCapable(now, node)).toThrow(
    "Can't use non-vm_capable node node1.example.com",
  );
  expect(() => checkNodeNotDrained(now, node)).not.toThrow();
  await checkOsparams(contextAt(world, now), [node], "noop", none, false);
  expect(backend.asked).toEqual([]);
});

test("an operating system missing on a node fails with the node's message", async () => {
  const { now, node, world } = await clusterOf({});
  await expect(checkOsparams(contextAt(world, now), [node], "nosuch", none, false)).rejects.toThrow(
    "OS Parameters validation failed on node node1.example.com:" +
      " Directory for OS nosuch not found in search path",
  );
});

test("an unknown operating system is skipped with a log line if it is not required", async () => {
  const { now, node, world, log } = await clusterOf({}, { os_validate: () => false });
  await checkOsparams(contextAt(world, now), [node], "nosuch", none, false);
  expect(log).toEqual([
    " - INFO: OS nosuch not found on node node1.example.com, validation skipped",
  ]);
});

test("a parameter that the OS definition calls secret is refused in the open, before anything else is asked", async () => {
  const parameters = [["root_password", "secret: password of root"] as const];
  const definitions = [{ ...noopOs, parameters }];
  const { now, node, world, backend } = await clusterOf({}, { os_diagnose: () => definitions });
  const given = { root_password: "x1y2" };
  const checked = (osparams: GivenOsparams) =>
    checkOsparams(contextAt(world, now), [node], "noop+default", osparams, false);
  const refusal = await checked({ open: given, hidden: {} }).catch((error: unknown) => error);
  expect(refusal).toMatchObject({
    code: "wrong_input",
    message: expect.stringContaining("root_password of OS noop+default is a secret: give it with"),
  });
  expect(String(refusal)).toContain("--os-parameters-secret");
  expect(String(refusal)).not.toContain("x1y2");
  expect(backend.asked).toEqual([`${node} os_diagnose`]);
  // Given as a secret it reaches the node.
  await checked({ open: {}, hidden: given }).catch(() => {});
  expect(backend.asked.at(-1)).toBe(`${node} os_validate`);
});
