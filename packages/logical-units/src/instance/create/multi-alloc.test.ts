import { expect, test } from "vitest";
import { refused } from "../../../test/support/results.js";
import { simulatedCluster } from "../../../test/support/simulated.js";

const entry = (name: string, more = {}) => ({
  instance_name: name,
  mode: "create",
  os_type: "noop+default",
  nics: [{}],
  disk_template: "plain",
  disks: [{ size: 1024 }],
  beparams: { memory: 512 },
  ...more,
});
const allocate = (...instances: readonly object[]) => ({
  OP_ID: "OP_INSTANCE_MULTI_ALLOC",
  instances: instances as never,
});

test("instances placed together become one job each, on their own nodes", async () => {
  const { run, config, queue } = await simulatedCluster();
  const names = ["web1.example.com", "web2.example.com"];
  const { status, result } = await run(allocate(...names.map((name) => entry(name))));
  expect({ status, result }).toEqual({
    status: "success",
    result: {
      allocatable: names,
      failed: [],
      jobs: [
        [true, 2],
        [true, 3],
      ],
    },
  });
  await queue.idle();
  expect([...config.snapshot.instances()].map(({ name }) => name).sort()).toEqual(names);
});

test("instances go to the groups they name, and the others to any group", async () => {
  const { run, config, queue, nodes, put } = await simulatedCluster({ nodeCount: 4 });
  await run({ OP_ID: "OP_GROUP_ADD", group_name: "g2" });
  const { uuid: group } = config.snapshot.expectGroup("g2");
  for (const node of nodes.slice(2)) {
    const object = config.snapshot.node(node);
    if (object) await put({ kind: "put", type: "node", object: { ...object, group } });
  }
  const entries = [
    entry("a.example.com", { group_name: "default" }),
    entry("b.example.com", { group_name: "g2" }),
    entry("c.example.com"),
    entry("d.example.com", { group_name: "g2" }),
  ];
  const { result } = await run(allocate(...entries));
  expect(result).toMatchObject({
    allocatable: ["a.example.com", "b.example.com", "d.example.com", "c.example.com"],
  });
  await queue.idle();
  const at = (name: string) =>
    nodes.indexOf(config.snapshot.expectInstance(name).primary_node as (typeof nodes)[number]);
  expect([at("a") < 2, at("b") >= 2, at("d") >= 2]).toEqual([true, true, true]);
  expect((await run(allocate(entry("e.example.com", { group_name: "g9" })))).result).toEqual([
    ...refused("Node group 'g9' not found", "unknown_entity"),
  ]);
});

test("instances with given nodes are not placed again", async () => {
  const { run, config, queue, nodes } = await simulatedCluster();
  const { result } = await run(allocate(entry("web1.example.com", { pnode: "node2" })));
  expect(result).toMatchObject({ allocatable: ["web1.example.com"], jobs: [[true, 2]] });
  await queue.idle();
  expect(config.snapshot.expectInstance("web1")).toMatchObject({ primary_node: nodes[1] });
});

test.each([
  {
    why: "only some have nodes",
    entries: [entry("a.example.com", { pnode: "node1" }), entry("b.example.com")],
    says: "There are instance objects providing pnode/snode while others do not",
  },
  {
    why: "there is nothing to place",
    entries: [],
    says: "There are instance objects providing pnode/snode while others do not",
  },
  {
    why: "one names an allocator",
    entries: [entry("a.example.com", { iallocator: "hail" })],
    says: "iallocator are not allowed to be set on instance objects",
  },
  {
    why: "a name is there twice",
    entries: [entry("a.example.com"), entry("a.example.com")],
    says: "There are duplicate instance names: a.example.com",
  },
])("nothing is placed where $why", async ({ entries, says }) => {
  const { run } = await simulatedCluster();
  expect((await run(allocate(...entries))).result).toEqual([...refused(says, "wrong_input")]);
});
