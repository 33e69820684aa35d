// Stored forms of changed objects. Seen to fail with copies of known parts, with new parts that are shared with the caller, with
// undefined values kept, and with texts of parts that are kept by their keys.
import type { ClusterObject } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { aCluster, seeded } from "../test/cluster.js";
import { rowOf } from "./rows.js";
import { Snapshot } from "./snapshot.js";
import { stamped } from "./stamping.js";

const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** A stored cluster object, and what becomes of a change of it. */
function changed(change: (cluster: ClusterObject) => object) {
  const before = Snapshot.of(copyOf(aCluster({ random: seeded(1) })));
  const object = { ...before.cluster, ...change(before.cluster) } as ClusterObject;
  const [put] = stamped(before, [{ kind: "cluster", object }], 7);
  if (put?.kind !== "cluster") throw new Error("the cluster was changed");
  return { before: before.cluster, object, put, after: put.object };
}

test("a changed cluster object has the known parts, and copies of new ones without undefined values", () => {
  const policy = { std: { "disk-size": 1 }, "vcpu-ratio": undefined };
  const { before, after } = changed(() => ({ ipolicy: policy, uid_pool: undefined }));
  expect(after.hvparams).toBe(before.hvparams);
  expect(after.ipolicy).toStrictEqual({ std: { "disk-size": 1 } });
  expect((after.ipolicy as object as typeof policy).std).not.toBe(policy.std);
  expect(after).not.toHaveProperty("uid_pool");
  expect(after).toMatchObject({ serial_no: (before.serial_no ?? 0) + 1, mtime: 7 });
});

test("the row of a cluster object is its JSON, whichever parts were written before", () => {
  const first = changed(() => ({ tags: ["one", 'a "quoted" tag'] }));
  const second = changed(({ hvparams }) => ({ hvparams: { ...hvparams, 'k"vm': { a: null } } }));
  for (const { put, after } of [first, second, first]) {
    expect(rowOf(put, 3)).toEqual({
      ...{ type: "cluster", uuid: "", serial: 3 },
      document: JSON.stringify(after),
    });
  }
});
