import { initialConfiguration, Snapshot } from "@ganeti-ts/config";
import type { ClaimUuid, JobId } from "@ganeti-ts/protocol";
import { systemRandom as random } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { lostAtHandBack } from "./hand-back.js";

test("a cluster with open claims names the jobs that hold them before it is handed back", () => {
  const nodes = [{ name: "node1.example.com", primary_ip: "192.0.2.1" }];
  const clusterName = "cluster.example.com";
  const content = initialConfiguration({ clusterName, nodes, random, now: 1 });
  const claims = [12, 7, 12].map((job, at) => ({
    ...({ kind: "export", uuid: `claim${at}` as ClaimUuid, job: job as JobId } as const),
    ...{ node: content.nodes[0]?.uuid as never, instanceName: "web.example.com" },
  }));
  expect(lostAtHandBack(Snapshot.of(content), null)).toEqual([]);
  expect(lostAtHandBack(Snapshot.of({ ...content, claims }), 50)).toEqual([
    "resources of nodes that jobs claim: 7, 12",
    "the limit of 50 jobs in the queue",
  ]);
});
