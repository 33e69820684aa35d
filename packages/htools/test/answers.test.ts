// Properties of all answers. Seen to fail with `answerRequest` working on the cluster it is given,
// with `restrictTo` left out of the candidates, and with drained nodes counted as candidates.
import type { AllocatorRequest, ClusterData } from "@ganeti-ts/protocol";
import { messages, randomRuns, requestTypes } from "@ganeti-ts/testkit";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { orderFor } from "../src/allocate/order.js";
import { fits } from "../src/fit/misfit.js";
import { addPrimary, addSecondary } from "../src/fit/placing.js";
import { type Answered, answerRequest, loadCluster, type RequestOptions } from "../src/index.js";
import { snapshot } from "./snapshot.js";

// Hundreds of clusters take seconds where the machine is busy.
test.each(requestTypes)("an answered %s leaves the cluster given as it was", (type) => {
  const seen = { success: 0, failure: 0 };
  const property = fc.property(messages(type), ({ message, switches }) => {
    const cluster = loadCluster(message.cluster);
    const before = snapshot(cluster);
    const { answer, after } = answerRequest(cluster, message.request, switches);
    expect(snapshot(cluster)).toEqual(before);
    if (!answer.success) expect(after).toBe(cluster);
    expect(answer.info).toMatch(answer.success ? /^Request successful: / : /^Request failed: /);
    seen[answer.success ? "success" : "failure"]++;
  });
  fc.assert(property, { numRuns: randomRuns(150) });
  expect(seen.success).toBeGreaterThan(10);
  // Evacuations report what failed inside a success.
  if (type !== "node-evacuate" && type !== "change-group") expect(seen.failure).toBeGreaterThan(5);
});

interface Asked {
  readonly data: ClusterData;
  readonly request: AllocatorRequest;
  readonly options: RequestOptions;
  readonly answered: Answered;
}

/** Calls `look` for every successful answer; it tells which kind it was. */
function successes(
  type: (typeof requestTypes)[number],
  look: (asked: Asked) => string,
): Map<string, number> {
  const seen = new Map<string, number>();
  const names = fc.option(
    fc.subarray(
      Array.from({ length: 7 }, (_, at) => `node${at}`),
      { minLength: 4 },
    ),
    { nil: undefined, freq: 2 },
  );
  const random = messages(type, { domain: "", exclusiveStorage: "none" });
  fc.assert(
    fc.property(random, names, ({ message, switches }, restrictTo) => {
      const options = { ...switches, restrictTo };
      const { cluster: data, request } = message;
      const answered = answerRequest(loadCluster(data), request, options);
      if (!answered.answer.success) return;
      const kind = look({ data, request, options, answered });
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
    }),
    { numRuns: randomRuns(600) },
  );
  return seen;
}

const nodeNamed = (data: ClusterData, name: string) =>
  data.nodes.findIndex((node) => node.name === name);

test("an instance is placed on distinct online nodes of one allowed group that can take it", () => {
  const seen = successes("allocate", ({ data, request, options, answered }) => {
    if (request.type !== "allocate") throw new Error("asked for an allocation");
    const names = answered.answer.result as string[];
    const nodes = names.map((name) => nodeNamed(data, name));
    expect(new Set(names).size).toBe(request.requiredNodes);
    expect(nodes.every((node) => data.nodes[node]?.offline === false)).toBe(true);
    const allowed = options.restrictTo ?? request.restrictToNodes;
    if (allowed) expect(names.every((name) => allowed.includes(name))).toBe(true);
    const [group, ...others] = new Set(nodes.map((node) => data.nodes[node]?.groupIndex));
    expect(others).toEqual([]);
    const chosen = data.groups[group as number];
    if (request.groupName === undefined) expect(chosen?.allocationPolicy).not.toBe("unallocable");
    else expect([chosen?.name, chosen?.uuid]).toContain(request.groupName);
    for (const network of request.instance.networks) {
      if (network !== null) expect(chosen?.networks).toContain(network);
    }
    const cluster = loadCluster(data);
    const { instance } = orderFor(cluster, request);
    const [primary = -1, secondary = -1] = nodes;
    expect(addPrimary(cluster, instance, -1, primary, options.ignoreSoftErrors, 0)).toBe(fits);
    if (secondary < 0) return allowed ? "one of few" : "one";
    expect(addSecondary(cluster, instance, -1, secondary, primary, false)).toBe(fits);
    return allowed ? "pair of few" : "pair";
  });
  for (const kind of ["one", "one of few", "pair", "pair of few"]) {
    expect(seen.get(kind), kind).toBeGreaterThan(0);
  }
});

test("an evacuated instance is on none of the nodes left, and its job leads where it is", () => {
  const seen = successes("node-evacuate", ({ data, request, answered }) => {
    if (request.type !== "node-evacuate") throw new Error("asked for an evacuation");
    const [moved, failed, jobs] = answered.answer.result as [
      [string, string, string[]][],
      [string, string][],
      { OP_ID: string; remote_node?: string; target_node?: string }[][],
    ];
    expect(moved.length + failed.length).toBe(request.instanceIndices.length);
    expect(jobs.length).toBe(moved.length);
    for (const [at, [name, group, names]] of moved.entries()) {
      const instance = data.instances.find((one) => one.name === name);
      const nodes = names.map((node) => nodeNamed(data, node));
      expect(nodes.map((node) => data.groups[data.nodes[node]?.groupIndex ?? -1]?.name)).toContain(
        group,
      );
      if (request.mode !== "secondary-only") expect(nodes[0]).not.toBe(instance?.primary);
      if (request.mode !== "primary-only") expect(nodes[1] ?? -2).not.toBe(instance?.secondary);
      const targets = (jobs[at] ?? []).map((opcode) => opcode.remote_node ?? opcode.target_node);
      for (const target of targets) if (target !== undefined) expect(names).toContain(target);
    }
    return moved.length > 0 ? `moved ${request.mode}` : failed.length > 0 ? "all failed" : "none";
  });
  for (const kind of ["moved primary-only", "moved secondary-only", "moved all", "all failed"]) {
    expect(seen.get(kind), kind).toBeGreaterThan(0);
  }
});
