import { expect, test } from "vitest";
import { refused } from "../../../test/support/results.js";
import { staged } from "../../../test/support/web1.js";

const op = "OP_INSTANCE_CHANGE_GROUP";

/** A cluster with node3 and node4 in a group of their own. */
async function inTwoGroups() {
  const cluster = await staged({}, { nodeCount: 4 });
  await cluster.run({ OP_ID: "OP_GROUP_ADD", group_name: "other" });
  const nodes = ["node3", "node4"];
  const opcode = { OP_ID: "OP_GROUP_ASSIGN_NODES", group_name: "other", nodes, force: true };
  expect(await cluster.run(opcode)).toMatchObject({ status: "success" });
  return cluster;
}

test("jobs from the allocator move an instance to another group", async () => {
  const { on, placesOf, queue, expectTidy, runningOn } = await inTwoGroups();
  const { status, result, log } = await on(op);
  expect(status).toBe("success");
  expect(log.at(-1)).toBe(
    " - INFO: Iallocator returned 1 job(s) for changing group of instance 'web1.example.com'",
  );
  expect(result).toMatchObject({ jobs: [[true, expect.anything()]] });
  await queue.idle();
  expect(placesOf().toSorted()).toEqual(["node3.example.com", "node4.example.com"]);
  expect([...runningOn(3), ...runningOn(4)]).toEqual(["web1.example.com"]);
  expectTidy();
});

test("an instance stays if there is no other group, or it is already in the named one", async () => {
  const { on, config } = await staged();
  expect((await on(op)).result).toEqual(
    refused("There are no possible target groups", "wrong_input"),
  );
  const [group] = [...config.snapshot.groups()];
  expect((await on(op, { target_groups: ["default"] })).result).toEqual(
    refused(
      `Can't use group(s) '${group?.uuid}' as targets, they are used by the instance` +
        " 'web1.example.com'",
      "wrong_input",
    ),
  );
});
