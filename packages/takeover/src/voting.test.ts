import { answered, failed, type NodeBackend } from "@ganeti-ts/node-calls";
import type { NodeObject } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { holdVote, voteFault } from "./voting.js";

test.each([
  { why: "more than half of all nodes is enough", named: ["a", "a", null], fault: undefined },
  {
    why: "half of the nodes is not enough",
    named: ["a", "b"],
    fault: 'Voting cannot be won by a, valid votes of 2 are [("a",1),("b",1)]',
  },
  {
    why: "nodes that do not answer leave the vote open",
    named: ["a", null, null],
    fault: "Couldn't gather voting results of enough nodes",
  },
  {
    why: "a majority for another node is a lost vote, whatever the silent nodes would answer",
    named: ["a", "b", "b", "b", null],
    fault: 'Voting cannot be won by a, valid votes of 5 are [("b",3),("a",1)]',
  },
])("$why", async ({ named, fault }) => {
  const nodes = {
    call: async (uuid: string) => {
      const name = named[Number(uuid)];
      return name ? answered(name) : failed("Error 7: Failed connect");
    },
  } as unknown as NodeBackend;
  const voters = named.map((_, at) => ({ uuid: String(at) }) as NodeObject);
  expect(voteFault(await holdVote(nodes, { nodes: voters }, "a"), "a")).toBe(fault);
});
