import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { JsonObject } from "../jobs/json-value.js";
import { type OpcodeId, opcodeCatalog } from "./catalog.js";
import { decodeOpcode } from "./decode.js";
import { parseSize } from "./values.js";

const decoded = (opcode: JsonObject) => {
  const read = decodeOpcode(opcode);
  if (!read.ok) throw new Error(read.problem);
  return read.opcode as unknown as JsonObject;
};
const problem = (opcode: unknown) => {
  const read = decodeOpcode(opcode);
  return read.ok ? "fine" : read.problem;
};
const common = {
  debug_level: 0,
  priority: 0,
  depends: null,
  comment: null,
  reason: [],
};
const creation = {
  OP_ID: "OP_INSTANCE_CREATE",
  instance_name: "web1.example.com",
  mode: "create",
  disks: [{ size: "10g" }],
  nics: [{ mode: "bridge", ip: null }],
  disk_template: "plain",
};

test("defaults are filled in, and parameters without a default stay absent", () => {
  expect(decoded({ OP_ID: "OP_INSTANCE_SHUTDOWN", instance_name: "web1" })).toEqual({
    OP_ID: "OP_INSTANCE_SHUTDOWN",
    instance_name: "web1",
    force: false,
    ignore_offline_nodes: false,
    timeout: 120,
    no_remember: false,
    ...common,
  });
});

test("sizes become MiB, and older names of NIC modes today's", () => {
  expect(decoded(creation)).toMatchObject({
    disks: [{ size: 10240 }],
    nics: [{ mode: "bridged", ip: null }],
    wait_for_sync: true,
    name_check: false,
  });
});

describe("numbers and booleans are taken as text too", () => {
  test.each([
    {
      OP_ID: "OP_INSTANCE_GROW_DISK",
      given: { disk: "1", amount: "1.5g" },
      read: { disk: 1, amount: 1536 },
    },
    { OP_ID: "OP_INSTANCE_GROW_DISK", given: { disk: 0, amount: 1023 }, read: { amount: 1023 } },
    { OP_ID: "OP_INSTANCE_SHUTDOWN", given: { timeout: "0" }, read: { timeout: 0 } },
    { OP_ID: "OP_INSTANCE_SHUTDOWN", given: { force: "Yes" }, read: { force: true } },
    { OP_ID: "OP_INSTANCE_SHUTDOWN", given: { force: "false" }, read: { force: false } },
    { OP_ID: "OP_INSTANCE_SHUTDOWN", given: { priority: "-10" }, read: { priority: -10 } },
    {
      OP_ID: "OP_INSTANCE_SHUTDOWN",
      given: { depends: [["12", ["success"]]] },
      read: { depends: [[12, ["success"]]] },
    },
  ])("$OP_ID $given", ({ OP_ID, given, read }) => {
    expect(decoded({ OP_ID, instance_name: "web1", ...given })).toMatchObject(read);
  });
});

test("null and the empty text stand for a choice or a name that was not given", () => {
  const { disk_template, pnode, iallocator, os_type } = decoded({
    ...creation,
    disk_template: "",
    pnode: null,
    iallocator: "",
    os_type: "noop",
  });
  expect([disk_template, pnode, iallocator, os_type]).toEqual([
    undefined,
    undefined,
    undefined,
    "noop",
  ]);
  // But where the empty text means something, it stays.
  expect(decoded({ OP_ID: "OP_CLUSTER_SET_PARAMS", vg_name: "" })).toMatchObject({ vg_name: "" });
});

test("changes of devices in the older form become triples", () => {
  const nics = [
    ["add", { link: "br0" }],
    ["modify", "0", { mac: "generate" }],
    [2, { ip: "none" }],
  ];
  const disks = [
    ["remove", "data", {}],
    ["add", -1, { size: "1g" }],
  ];
  expect(
    decoded({ OP_ID: "OP_INSTANCE_SET_PARAMS", instance_name: "web1", nics, disks }),
  ).toMatchObject({
    nics: [
      ["add", -1, { link: "br0" }],
      ["modify", 0, { mac: "generate" }],
      ["modify", 2, { ip: "none" }],
    ],
    disks: [
      ["remove", "data", {}],
      ["add", -1, { size: 1024 }],
    ],
  });
});

describe("a faulty opcode is refused in Ganeti's words", () => {
  test.each([
    { given: 5, says: "Opcode is not a dictionary" },
    { given: {}, says: "Invalid data to LoadOpcode, missing OP_ID" },
    { given: { OP_ID: "OP_X" }, says: "Invalid data to LoadOpCode: OP_ID OP_X unsupported" },
    {
      given: { OP_ID: "toString" },
      says: "Invalid data to LoadOpCode: OP_ID toString unsupported",
    },
    {
      given: { ...creation, nosuch: 1, disk_template: "floppy" },
      says: "Object OpInstanceCreate doesn't support the parameter 'nosuch'",
    },
    {
      given: { ...creation, constructor: 1 },
      says: "Object OpInstanceCreate doesn't support the parameter 'constructor'",
    },
    {
      given: { ...creation, disk_template: "floppy" },
      says: "Parameter 'OP_INSTANCE_CREATE.disk_template' fails validation",
    },
    {
      given: { OP_ID: "OP_INSTANCE_CREATE", disk_template: "floppy" },
      says: "Parameter 'OP_INSTANCE_CREATE.instance_name' fails validation",
    },
    {
      given: { OP_ID: "OP_INSTANCE_CREATE", instance_name: "a", disk_template: "floppy" },
      says: "Parameter 'OP_INSTANCE_CREATE.disks' fails validation",
    },
    {
      given: { ...creation, wait_for_sync: null },
      says: "Parameter 'OP_INSTANCE_CREATE.wait_for_sync' fails validation",
    },
    {
      given: { ...creation, disks: [{ size: "a lot" }] },
      says: "Parameter 'OP_INSTANCE_CREATE.disks' fails validation",
    },
    {
      given: { ...creation, nics: [{ colour: "red" }] },
      says: "Parameter 'OP_INSTANCE_CREATE.nics' fails validation",
    },
    {
      given: { ...creation, priority: 3 },
      says: "Parameter 'OP_INSTANCE_CREATE.priority' fails validation",
    },
    {
      given: { OP_ID: "OP_INSTANCE_GROW_DISK", instance_name: "a", disk: 16, amount: 1 },
      says: "Parameter 'OP_INSTANCE_GROW_DISK.disk' fails validation",
    },
    {
      given: { OP_ID: "OP_NETWORK_ADD", network_name: "n", network: "10.0.0" },
      says: "Parameter 'OP_NETWORK_ADD.network' fails validation",
    },
  ])("$says", ({ given, says }) => {
    expect(problem(given)).toBe(says);
  });
});

describe("a reservation needs nothing, and what is made of one only its name", () => {
  test.each([
    { given: { forthcoming: true }, says: "fine" },
    { given: { commit: true, instance_name: "web1" }, says: "fine" },
    {
      given: { commit: true },
      says: "Parameter 'OP_INSTANCE_CREATE.instance_name' fails validation",
    },
    { given: {}, says: "Parameter 'OP_INSTANCE_CREATE.instance_name' fails validation" },
  ])("$given: $says", ({ given, says }) => {
    expect(problem({ OP_ID: "OP_INSTANCE_CREATE", ...given })).toBe(says);
  });
});

test("instances that are made together are checked each", () => {
  const { OP_ID: _, ...entry } = creation;
  const opcode = decoded({
    OP_ID: "OP_INSTANCE_MULTI_ALLOC",
    instances: [{ ...entry, pnode: "" }],
  });
  expect(opcode.instances).toEqual([decoded(creation)]);
  expect(problem({ OP_ID: "OP_INSTANCE_MULTI_ALLOC", instances: [{ ...entry, mode: 3 }] })).toBe(
    "Parameter 'OP_INSTANCE_MULTI_ALLOC.instances' fails validation",
  );
});

test.each([
  ["512", 512],
  ["1023", 1024],
  ["8G", 8192],
  ["1.5t", 1572864],
  ["0.3 MiB", 4],
  ["", undefined],
  ["-1", undefined],
  ["3 parsecs", undefined],
  ["9".repeat(400), undefined],
  ["9007199254t", undefined],
])("the size %j is %j MiB", (given, size) => {
  expect(parseSize(given)).toBe(size);
});

test("a number that is too large for one is none, however it is written", () => {
  const duration = "9".repeat(400);
  expect(problem({ OP_ID: "OP_TEST_DELAY", duration })).toBe(
    "Parameter 'OP_TEST_DELAY.duration' fails validation",
  );
});

test.each(Object.keys(opcodeCatalog) as OpcodeId[])("%s has a JSON schema", (id) => {
  const schema = z.toJSONSchema(opcodeCatalog[id].schema, { io: "input", unrepresentable: "any" });
  expect(schema).toMatchObject({
    type: "object",
    properties: { OP_ID: { const: id } },
    additionalProperties: false,
  });
});
