import { describe, expect, test } from "vitest";
import { requestOf } from "./ganeti.js";

const trail = [
  ["gnt:user", "too slow", 1],
  ["gnt:client:gnt-instance", "startup", 1],
];
const common = { debug_level: 0, dry_run: false, reason: trail };

describe("opcodes as requests of Ganeti's RAPI", () => {
  test("a request has the opcode's parameters in path and query", () => {
    const opcode = { OP_ID: "OP_INSTANCE_STARTUP", instance_name: "web 1", force: true, ...common };
    expect(requestOf(opcode)).toEqual({
      method: "PUT",
      path: "/2/instances/web%201/startup",
      query: { reason: "too slow", force: 1 },
    });
  });

  test("a request has other parameters in the body", () => {
    const create = { OP_ID: "OP_INSTANCE_CREATE", instance_name: "web1", disks: [], priority: 10 };
    expect(requestOf({ ...create, ...common, dry_run: true, reason: [] })).toEqual({
      method: "POST",
      path: "/2/instances",
      query: { "dry-run": 1 },
      body: { __version__: 1, instance_name: "web1", disks: [], priority: 10 },
    });
  });

  test("tags are passed one by one, to the resource of the object", () => {
    const set = { OP_ID: "OP_TAGS_SET", kind: "nodegroup", name: "default", tags: ["a", "b"] };
    expect(requestOf({ ...set, ...common })).toEqual({
      method: "PUT",
      path: "/2/groups/default/tags",
      query: { reason: "too slow", tag: ["a", "b"] },
    });
    expect(requestOf({ ...set, OP_ID: "OP_TAGS_DEL", kind: "cluster", name: null })).toMatchObject({
      method: "DELETE",
      path: "/2/tags",
    });
  });

  test("a request is about one instance or node at a time", () => {
    const data = { OP_ID: "OP_INSTANCE_QUERY_DATA", static: true, use_locking: true };
    expect(requestOf({ ...data, instances: ["web1"] })).toEqual({
      method: "GET",
      path: "/2/instances/web1/info",
      query: { static: 1 },
    });
    expect(requestOf({ ...data, instances: ["web1", "web2"] })).toBeUndefined();
  });

  test.each([
    "OP_CLUSTER_VERIFY",
    "OP_BACKUP_REMOVE",
    // Its resource submits a job of three opcodes, which stops the instance first.
    "OP_INSTANCE_REINSTALL",
  ])("is none for %s: there is no such request", (OP_ID) => {
    expect(requestOf({ OP_ID, instance_name: "web1" })).toBeUndefined();
  });

  test("a parameter that cannot be passed is named if it is set", () => {
    const startup = { OP_ID: "OP_INSTANCE_STARTUP", instance_name: "web1", hvparams: {} };
    expect(requestOf(startup)).toMatchObject({ method: "PUT" });
    expect(requestOf({ ...startup, hvparams: { acpi: false } })).toBe("hvparams");
    expect(requestOf({ ...startup, priority: 10 })).toBe("priority");
  });
});
