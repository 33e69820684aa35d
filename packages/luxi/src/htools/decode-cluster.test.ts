import { MessageError } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { GanetiError } from "../ganeti-error.js";
import { readLuxiReply, writeLuxiCall } from "../message.js";
import { decodeLuxiCluster, luxiClusterCalls } from "./decode-cluster.js";
import { readJobResults, readJobStatuses, readSubmitted } from "./jobs.js";

const bytes = (text: string) => new TextEncoder().encode(text);
const result = (value: unknown) =>
  readLuxiReply(bytes(JSON.stringify({ success: true, result: value })));

const bound = {
  "memory-size": 1,
  "cpu-count": 1,
  "disk-size": 1,
  "disk-count": 1,
  "nic-count": 1,
  "spindle-use": 1,
};
const ipolicy = {
  minmax: [],
  std: bound,
  "disk-templates": ["drbd"],
  "vcpu-ratio": 4,
  "spindle-ratio": 32,
};

/** A field's status and value; a plain value has status 0. */
type Field = unknown | { readonly status: unknown };
type Fields = Readonly<Record<string, Field>>;

const group: Fields = { uuid: "u1", name: "g1", alloc_policy: "preferred", ipolicy, tags: ["t"] };
const node: Fields = {
  name: "n1",
  mtotal: 1024.5,
  mnode: 100,
  mfree: 900,
  dtotal: 5000,
  dfree: 4000,
  ctotal: 8,
  cnos: 1,
  offline: false,
  drained: false,
  vm_capable: true,
  "ndp/spindle_count": 2,
  "group.uuid": "u1",
  tags: ["rack:1"],
  "ndp/exclusive_storage": false,
  sptotal: 7,
  spfree: 3,
  "ndp/cpu_speed": 1.5,
};
const instance: Fields = {
  name: "i1",
  disk_usage: 2304,
  "be/memory": 256,
  "be/vcpus": 2,
  status: "running",
  pnode: "n1",
  snodes: ["n2"],
  tags: ["a"],
  "be/auto_balance": true,
  disk_template: "drbd",
  "be/spindle_use": 1,
  "disk.sizes": [1024, 1024],
  "disk.spindles": [null, 2],
  forthcoming: true,
};
const info = { tags: ["c"], ipolicy, master: "n2", default_hypervisor: "kvm" };

function rows(call: keyof typeof luxiClusterCalls, things: readonly Fields[]): unknown {
  const fields = luxiClusterCalls[call].args[1] as readonly string[];
  const cell = (field: Field) => {
    const isOther = typeof field === "object" && field !== null && "status" in field;
    return isOther ? [field.status, null] : [0, field];
  };
  return { fields: [], data: things.map((thing) => fields.map((field) => cell(thing[field]))) };
}

interface World {
  readonly groups?: Fields;
  readonly nodes?: Fields;
  readonly instances?: Fields;
  readonly info?: object;
  readonly raw?: Readonly<Record<string, unknown>>;
}

const decoded = (change: World = {}) => {
  const nodes = [
    { ...node, ...change.nodes },
    { ...node, name: "n2" },
  ];
  return decodeLuxiCluster({
    groups: result(change.raw?.groups ?? rows("groups", [{ ...group, ...change.groups }])),
    nodes: result(change.raw?.nodes ?? rows("nodes", nodes)),
    instances: result(rows("instances", [{ ...instance, ...change.instances }])),
    info: result(change.raw?.info ?? { ...info, ...change.info }),
  });
};

function refused(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof MessageError || error instanceof GanetiError) return error.message;
    throw error;
  }
  return "nothing refused";
}

test("a cluster is read with all that the four answers tell", () => {
  const data = decoded();
  expect(data.groups).toMatchObject([
    { name: "g1", uuid: "u1", allocationPolicy: "preferred", tags: ["t"], policy: data.policy },
  ]);
  expect(data.nodes).toEqual(
    ["n1", "n2"].map((name) => ({
      name,
      groupIndex: 0,
      offline: false,
      master: name === "n2",
      exclusiveStorage: false,
      memoryTotalMib: 1024.5,
      memoryNodeMib: 100,
      memoryFreeMib: 900,
      diskTotalMib: 5000,
      diskFreeMib: 4000,
      cpuTotal: 8,
      cpuNode: 1,
      spindleTotal: 2,
      spindleFree: 3,
      tags: ["rack:1"],
      cpuSpeed: 1.5,
    })),
  );
  expect(data.instances).toEqual([
    {
      name: "i1",
      memoryMib: 256,
      diskMib: 2304,
      vcpus: 2,
      spindleUse: 1,
      tags: ["a"],
      disks: [
        { sizeMib: 1024, spindles: undefined },
        { sizeMib: 1024, spindles: 2 },
      ],
      diskTemplate: "drbd",
      status: "running",
      autoBalance: true,
      forthcoming: true,
      networks: [],
      primary: 0,
      secondary: 1,
    },
  ]);
  expect([data.tags, data.hypervisor]).toEqual([["c"], "kvm"]);
});

test.each<[string, Fields, Record<string, unknown>]>([
  [
    "an offline node's figures are not looked at",
    { offline: true, mtotal: { status: 4 }, cnos: null },
    { offline: true, memoryTotalMib: 0 },
  ],
  [
    "storage may be missing, or nonsense",
    { dtotal: { status: 2 }, dfree: "x", spfree: null },
    { diskTotalMib: 0, diskFreeMib: 0, spindleFree: 0 },
  ],
  [
    "exclusive storage counts its own spindles",
    { "ndp/exclusive_storage": true },
    { spindleTotal: 7 },
  ],
])("%s", (_, nodes, expected) => {
  expect(decoded({ nodes }).nodes[0]).toMatchObject(expected);
});

// Recorded from Ganeti 3.0.2: what `hinfo -L …` says after "failed to load data, aborting: ".
describe("what is refused, in Ganeti's words", () => {
  const reading = (thing: string, attribute: string) =>
    `${thing}, error while reading attribute '${attribute}': `;
  const things = { nodes: "Node 'n1'", instances: "Instance 'i1'", groups: "Group 'g1'" };
  const node1 = (attribute: string) => reading(things.nodes, attribute);
  const i1 = (attribute: string) => reading(things.instances, attribute);
  test.each<[keyof typeof things, string, unknown, string, string?]>([
    ["nodes", "mtotal", "x", "Unable to read Double"],
    ["nodes", "tags", [5], "Unable to read String", "[5]"],
    ["nodes", "ndp/exclusive_storage", null, "Unable to read Bool"],
    ["nodes", "ndp/spindle_count", null, "Unable to read Int"],
    ["instances", "status", "x", 'Invalid string value for type InstanceStatus: "x"'],
    ["instances", "status", 5, "Can't parse value for 'InstanceStatus': Unable to read String"],
    ["instances", "disk.sizes", ["x"], "Unable to read Int"],
    ["instances", "disk.spindles", ["x"], "Unable to read Int", '"x"'],
    ["instances", "be/auto_balance", null, "Unable to read Bool"],
    ["groups", "alloc_policy", "x", 'Invalid string value for type AllocPolicy: "x"'],
    ["groups", "ipolicy", {}, "key 'minmax' not found, object contains only []"],
    ["groups", "ipolicy", 5, "Unable to read JSObject"],
  ])("%s with %s %j", (kind, field, value, error, shown = JSON.stringify(value)) => {
    const attribute = field === "ndp/spindle_count" ? "spindles" : field.replace(/^(ndp|be)\//, "");
    const text = `Cannot convert value '${shown}', error: ${error}`;
    const change = { [kind]: { [field]: value } };
    expect(refused(() => decoded(change))).toBe(`${reading(things[kind], attribute)}${text}`);
  });

  test.each<[keyof World, Fields, string]>([
    [
      "nodes",
      { name: 5 },
      "Parsing new node: Cannot convert value '5', error: Unable to read String",
    ],
    ["nodes", { name: { status: 2 } }, "Parsing new node: No data for a field"],
    ["nodes", { mtotal: { status: 1 } }, `${node1("mtotal")}Unknown field`],
    ["nodes", { mfree: { status: 3 } }, `${node1("mfree")}Ganeti reports unavailable data`],
    ["nodes", { mfree: { status: 4 } }, `${node1("mfree")}Ganeti reports resource as offline`],
    [
      "nodes",
      { mtotal: { status: 9 } },
      `${node1("mtotal")}Cannot convert value '9', error: Invalid string value for type ResultStatus: 9`,
    ],
    [
      "nodes",
      { mtotal: { status: "x" } },
      `${node1("mtotal")}Cannot convert value '"x"', error: Can't parse value for 'ResultStatus': Unable to read Int`,
    ],
    ["nodes", { "group.uuid": "zz" }, "Unknown group 'zz' for node n1"],
    ["instances", { pnode: "zz" }, "Unknown node 'zz' for instance i1"],
    ["instances", { "disk.spindles": 5 }, `${i1("disk.spindles")}Expecting array, got '5'`],
    ["instances", { "disk.spindles": { status: 2 } }, "No data for a field"],
    ["info", { master: "zz" }, "Master node zz unknown"],
    [
      "info",
      { default_hypervisor: "zz" },
      `Parsing cluster info: key 'default_hypervisor': Invalid string value for type Hypervisor: "zz"`,
    ],
  ])("%s %j", (kind, change, text) => {
    expect(refused(() => decoded({ [kind]: change }))).toBe(text);
  });

  test.each<[string, unknown, string]>([
    ["groups", {}, "key 'data' not found, object contains only []"],
    ["groups", 5, "Invalid input, expected dict entry but got 5"],
    ["groups", { data: 5 }, "Invalid query result, expected array but got 5"],
    ["groups", { data: [5] }, "Invalid query row result, expected array but got 5"],
    ["nodes", { data: [[[0]]] }, "Invalid query field, expected (status, value) but got [0]"],
    ["nodes", { data: [[[0, "x"]]] }, 'Invalid node query result: [[0, "x"]]'],
    ["info", 5, "Cannot parse cluster info, not a JSON record"],
  ])("%s as %j", (name, value, text) => {
    expect(refused(() => decoded({ raw: { [name]: value } }))).toBe(text);
  });
});

describe("a master's replies", () => {
  const ganeti = "Unhandled Ganeti error: ";
  test.each<[string, string]>([
    ['{"success":false,"result":["GenericError",["boom"]]}', `${ganeti}boom`],
    ['{"success":false,"result":["LuxiError",["boom"]]}', 'Unhandled exception: LuxiError "boom"'],
    [
      '{"success":false,"result":["OpPrereqError",["boom","wrong_input"]]}',
      "Failure: prerequisites not met for this operation:\nerror type: ECodeInval, error details:\nboom",
    ],
    [
      '{"success":false,"result":["JobQueueFull",[]]}',
      "Failure: the job queue is full and doesn't accept new job submissions until old jobs are archived",
    ],
    [
      '{"success":false,"result":["ConfigVersionMismatch",[3,-4]]}',
      "Unhandled exception: ConfigVersionMismatch 3 (-4)",
    ],
    [
      '{"success":false,"result":["HooksAbort",[[["n1","01","out"],["n2","02",""]]]]}',
      "Failure: hooks execution failed:\n  node: n1, script: 01, output: out\n  node: n2, script: 02 (no output)\n",
    ],
    [
      '{"success":false,"result":["Foo",["boom"]]}',
      `${ganeti}Cannot convert value '["Foo", ["boom"]]', error: Unknown exception 'Foo'`,
    ],
    [
      '{"success":false,"result":"boom"}',
      `${ganeti}Cannot convert value '"boom"', error: Invalid exception: expected '(string, [args])'       but got "boom"'`,
    ],
    ['{"result":1}', `${ganeti}key 'success' not found, object contains only ["result"]`],
    ['{"success":true}', `${ganeti}key 'result' not found, object contains only ["success"]`],
    ['{"success":5,"result":1}', `${ganeti}key 'success': Unable to read Bool`],
    [
      "gibberish",
      `${ganeti}Parsing LUXI response: Invalid JSON: a JSON text a serialized object or array at the top level.`,
    ],
    ["[1]", `${ganeti}Parsing LUXI response: Unable to read JSObject`],
  ])("%s", (text, message) => expect(refused(() => readLuxiReply(bytes(text)))).toBe(message));

  test("calls keep nanoseconds and the order of keys", () => {
    const call = { method: "SubmitManyJobs", args: [[[{ b: 1, a: [1795255832548658001n] }]]] };
    expect(writeLuxiCall(call)).toBe(
      '{"method":"SubmitManyJobs","args":[[[{"b":1,"a":[1795255832548658001]}]]]}',
    );
  });

  test("submitted jobs have ids, statuses one each", () => {
    expect(
      readSubmitted(
        result([
          [true, 101],
          [true, "102"],
        ]),
      ),
    ).toEqual([101, 102]);
    expect(readJobStatuses(result([["queued"], ["error"]]))).toEqual(["queued", "error"]);
    expect(readJobResults(result([["success", [[1, "a"], null]]]))).toEqual([
      { status: "success", results: [[1, "a"], null] },
    ]);
  });

  test.each<[(value: ReturnType<typeof result>) => unknown, unknown, string]>([
    [
      readSubmitted,
      [
        [true, 1],
        [false, "not today"],
      ],
      "not today",
    ],
    [readSubmitted, [[true, "x"]], "parsing job id: cannot parse string 'x'"],
    [readSubmitted, [5], "Unknown result from the master daemon: 5"],
    [readJobStatuses, [[]], "Missing job status field"],
    [readJobResults, [["success"]], "Missing job result field"],
    [readJobResults, 5, "Unable to read list"],
    [readJobStatuses, 5, "Unable to read list"],
    [readJobStatuses, [null], "Unable to read list"],
    [readJobStatuses, [["zzz"]], 'Invalid string value for type JobStatus: \\"zzz\\"'],
    [readJobStatuses, [[5]], "Can't parse value for 'JobStatus': Unable to read String"],
  ])("%o refuses %j", (read, value, text) => {
    expect(refused(() => read(result(value)))).toBe(`Unhandled exception: LuxiError "${text}"`);
  });
});
