// In a named group a newcomer gets the number of the group's instances as its index, which another
// instance may have: the node then lists one instance twice, and emptying it moves that one twice. Seen to fail with
// counting that disregards migration tags.
import { aGroup, anInstance } from "@ganeti-ts/testkit";
import { expect, test } from "vitest";
import { answerRequest, defaultPolicy, loadCluster } from "../src/index.js";
import { hailAnswer, missing } from "./reference/hail.js";
import { allocation, vectorCluster, vectorGroup, vectorNode } from "./vectors.js";

const switches = { ignoreSoftErrors: false, capacityChecks: true };

const messageWith = (tag: string) => {
  const nodes = [
    vectorNode({ name: "a" }),
    vectorNode({ name: "b", tags: [tag] }),
    vectorNode({ name: "o1", groupIndex: 1 }),
    vectorNode({ name: "o2", groupIndex: 1 }),
  ];
  const instances = [
    anInstance({ name: "elsewhere", primary: 2, secondary: 3 }),
    anInstance({ name: "first", primary: 0, secondary: 1 }),
    // Index 2, and the group has two instances.
    anInstance({ name: "shares", diskTemplate: "plain", primary: 0 }),
  ];
  const other = aGroup({ name: "other", uuid: "g2", policy: defaultPolicy });
  const change = { groups: [vectorGroup, other], tags: ["htools:migration:hv"] };
  const cluster = vectorCluster(nodes, instances, change);
  return { cluster, request: { ...allocation(), groupName: "default" } };
};

test.each([
  { why: "the way back is as free as the way there", tag: "plain", result: ["b", "a"] },
  { why: "the way back is not allowed", tag: "hv:new", result: [] },
])("moved twice, there and back: $why", ({ tag, result }) => {
  const message = messageWith(tag);
  const { answer } = answerRequest(loadCluster(message.cluster), message.request, switches);
  expect(answer.result).toEqual(result);
  if (result.length === 0) expect(answer.info).toContain("FailN1: 2");
  if (!missing) expect(hailAnswer(message, switches)).toBe(`${JSON.stringify(answer)}\n`);
});
