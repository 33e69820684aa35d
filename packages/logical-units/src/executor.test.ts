import type { JobId, Opcode } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { testCluster } from "../test/support/cluster.js";
import { adding, anInstance } from "../test/support/instances.js";
import { refused } from "../test/support/results.js";
import { simulatedNodes } from "../test/support/simulated.js";
import { WatchedNodes } from "../test/support/watched-nodes.js";
import { createExecutor } from "./executor.js";
import { startup } from "./instance/running/states.js";
import type { Unit, WorldPorts } from "./unit/unit.js";

test("an instance that moves while a job waits for its lock is locked where it then is", async () => {
  let letGo = () => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const simulated = await simulatedNodes({}, {});
  const nodes = new WatchedNodes(simulated, { instance_shutdown: () => gate.then(() => null) });
  const { nodes: uuids, config, queue, put, instance } = await testCluster(nodes);
  const [one, two] = uuids;
  if (one === undefined || two === undefined) throw new Error("too few nodes");
  await put(...adding(anInstance(1, { primary_node: one })));

  // The first job holds the instance; the second waits, and asked for the first node's resources.
  const instance_name = "inst1.example.com";
  await queue.submit([{ OP_ID: "OP_INSTANCE_SHUTDOWN", instance_name }]);
  await queue.submit([{ OP_ID: "OP_INSTANCE_STARTUP", instance_name }]);
  while (!nodes.asked.includes(`${one} instance_shutdown`)) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const before = config.snapshot.instance(instance("inst1").uuid);
  if (before === undefined || before.forthcoming) throw new Error("not there");
  await put({ kind: "put", type: "instance", object: { ...before, primary_node: two } });
  letGo();
  await queue.idle();
  expect(nodes.asked.filter((call) => call.endsWith("instance_start"))).toEqual([
    `${two} instance_start`,
  ]);
  expect(instance("inst1")).toMatchObject({ admin_state: "up" });
});

test("an opcode fails if it is unknown or does not match its schema", async () => {
  const { run } = await testCluster(await simulatedNodes({}, {}));
  expect(await run({ OP_ID: "OP_NO_SUCH" })).toEqual({
    status: "error",
    log: [],
    result: ["OpCodeUnknown", ["OP_ID OP_NO_SUCH unsupported"]],
  });
  expect(await run({ OP_ID: "OP_INSTANCE_STARTUP" })).toMatchObject({
    status: "error",
    result: refused(
      "Parameter 'OP_INSTANCE_STARTUP.instance_name' fails validation",
      "wrong_input",
    ),
  });
});

test("the locks of an opcode are computed once for each snapshot of the configuration", async () => {
  const { nodes, config, put, instance } = await testCluster(await simulatedNodes({}, {}));
  const [primary_node] = nodes;
  if (primary_node === undefined) throw new Error("too few nodes");
  await put(...adding(anInstance(1, { primary_node })));
  let count = 0;
  const counted: Unit<"OP_INSTANCE_STARTUP"> = {
    ...startup,
    locks(op, now) {
      count++;
      return startup.locks(op, now);
    },
  };
  const ports = { config } as Partial<WorldPorts> as WorldPorts;
  const executor = createExecutor(ports, [counted as Unit]);
  const given = { OP_ID: "OP_INSTANCE_STARTUP", instance_name: "inst1.example.com" };
  const opcode = given as Partial<Opcode> as Opcode;
  const first = executor.locks?.(opcode, 1 as JobId);
  expect(executor.locks?.(opcode, 1 as JobId)).toBe(first);
  expect(count).toBe(1);
  await put({ kind: "put", type: "instance", object: { ...instance("inst1"), tags: ["changed"] } });
  expect(executor.locks?.(opcode, 1 as JobId)).toEqual(first);
  expect(count).toBe(2);
});
