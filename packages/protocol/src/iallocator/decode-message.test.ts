import { expect, test } from "vitest";
import { aMessage, aNode, aRequest, change, type JsonObject } from "../../test/message.js";
import { MessageError } from "../errors.js";
import { decodeMessage } from "./decode-message.js";

const decoded = (message: JsonObject) => decodeMessage(JSON.stringify(message));

test("a message of bytes, in a buffer of its own or not, is read like one of text", () => {
  const text = JSON.stringify(aMessage("allocate"));
  const bytes = new TextEncoder().encode(`xx${text}yy`).subarray(2, -2);
  expect(decodeMessage(bytes)).toEqual(decodeMessage(text));
  expect(decodeMessage(Buffer.from(text))).toEqual(decodeMessage(text));
});

test("groups, nodes and instances", () => {
  const { cluster } = decoded(aMessage("allocate"));
  expect(cluster.groups[1]).toEqual({
    uuid: "uuid-b",
    name: "beta",
    allocationPolicy: "preferred",
    networks: ["network-1"],
    tags: [],
    policy: {
      minMax: [{ min: spec(128, 1), max: spec(32768, 16) }],
      std: spec(1024, 1),
      diskTemplates: ["drbd", "plain", "ext"],
      vcpuRatio: 4,
      spindleRatio: 32.5,
    },
  });
  expect(cluster.nodes[2]).toEqual({
    name: "node3.example.com",
    groupIndex: 1,
    offline: false,
    master: false,
    memoryTotalMib: 32768,
    memoryNodeMib: 512,
    memoryFreeMib: 24576,
    diskTotalMib: 409600,
    diskFreeMib: 307200,
    cpuTotal: 8,
    cpuNode: 1,
    spindleTotal: 2,
    spindleFree: 2,
    exclusiveStorage: false,
    tags: ["rack:1"],
    cpuSpeed: 1,
  });
  expect(cluster.instances[1]).toEqual({
    name: "db.example.com",
    memoryMib: 1024,
    diskMib: 1152,
    disks: [{ sizeMib: 1024, spindles: 1 }],
    vcpus: 1,
    spindleUse: 1,
    diskTemplate: "drbd",
    status: "running",
    autoBalance: true,
    forthcoming: false,
    tags: ["service:web"],
    networks: [null],
    primary: 1,
    secondary: 0,
  });
  expect(cluster.instances[2]).toMatchObject({ primary: 2, secondary: -1 });
  expect(cluster.tags).toEqual(["htools:iextags:service"]);
  expect(cluster.hypervisor).toBe("xen-pvm");
});

function spec(size: number, count: number) {
  return {
    memoryMib: size,
    cpuCount: count,
    diskMib: size,
    diskCount: count,
    nicCount: count,
    spindleUse: count,
  };
}

test("allocate and multi-allocate", () => {
  const message = aMessage("allocate");
  change(message, ["request", "restrict-to-nodes"], ["node1.example.com", "ghost"]);
  change(message, ["request", "group_name"], "ghost");
  expect(decoded(message).request).toMatchObject({
    type: "allocate",
    groupName: "ghost",
    restrictToNodes: ["node1.example.com", "ghost"],
    requiredNodes: 2,
    instance: { name: "new.example.com", primary: -1, secondary: -1, networks: ["network-1"] },
  });
  expect(decoded(aMessage("allocate")).request).toMatchObject({
    groupName: undefined,
    restrictToNodes: undefined,
  });
  expect(decoded(aMessage("multi-allocate")).request).toMatchObject({
    type: "multi-allocate",
    groupName: undefined,
    wanted: [
      { requiredNodes: 2, instance: { name: "new1.example.com" } },
      { requiredNodes: 2, instance: { name: "new2.example.com" } },
    ],
  });
});

test.each([
  { type: "allocate-secondary", request: { instanceIndex: 2 } },
  { type: "relocate", request: { instanceIndex: 0, requiredNodes: 1, relocateFrom: [1] } },
  { type: "node-evacuate", request: { instanceIndices: [0, 1], mode: "all" } },
  { type: "change-group", request: { instanceIndices: [0], targetGroups: [1] } },
] as const)("$type: names become indices", ({ type, request }) => {
  expect(decoded(aMessage(type)).request).toEqual({ type, ...request });
});

test("keys keep the order of the text, also those that look like numbers", () => {
  const message = aMessage("allocate");
  change(message, ["nodes"], {});
  change(message, ["instances"], {});
  const node = JSON.stringify(aNode("uuid-a"));
  const nodes = `"nodes":{"b":${node},"10":${node},"9":${node},"a":${node}}`;
  const { cluster } = decodeMessage(JSON.stringify(message).replace('"nodes":{}', nodes));
  expect(cluster.nodes.map(({ name }) => name)).toEqual(["b", "10", "9", "a"]);
});

test("of a repeated key both are elements, and names mean the later", () => {
  const message = aMessage("relocate");
  const twice = (section: string, key: string, text: string) => {
    const value = JSON.stringify((message[section] as JsonObject)[key]);
    return text.replace(`"${section}":{`, `"${section}":{"${key}":${value},`);
  };
  let text = JSON.stringify(message);
  text = twice("nodegroups", "uuid-a", text);
  text = twice("nodes", "node1.example.com", text);
  text = twice("instances", "web.example.com", text);
  const { cluster, request } = decodeMessage(text);
  expect(cluster.groups.map(({ uuid }) => uuid)).toEqual(["uuid-a", "uuid-a", "uuid-b"]);
  expect(cluster.nodes[0]).toMatchObject({ name: "node1.example.com", groupIndex: 1 });
  expect(cluster.nodes[1]).toMatchObject({ name: "node1.example.com", groupIndex: 1 });
  expect(cluster.instances[0]).toMatchObject({ name: "web.example.com", primary: 1 });
  expect(request).toMatchObject({ type: "relocate", instanceIndex: 1, relocateFrom: [2] });
});

test("a name that two elements share is refused in a list of names", () => {
  const message = aMessage("node-evacuate");
  const web = JSON.stringify((message.instances as JsonObject)["web.example.com"]);
  const text = JSON.stringify(message).replace(
    '"instances":{',
    `"instances":{"web.example.com":${web},`,
  );
  expect(() => decodeMessage(text)).toThrow(
    new MessageError("unknown_name", "Wrong number of elems found with name web.example.com"),
  );
});

test("of a key repeated inside a record the first counts", () => {
  const text = JSON.stringify(aMessage("allocate"));
  const first = text.replace('"free_memory":', '"free_memory":1,"free_memory":');
  expect(decodeMessage(first).cluster.nodes[0]?.memoryFreeMib).toBe(1);
  const wrong = text.replace('"free_memory":', '"free_memory":"x","free_memory":');
  expect(() => decodeMessage(wrong)).toThrow("key 'free_memory': Unable to read Int");
});

test("a key written with escapes is the same key", () => {
  const text = JSON.stringify(aMessage("allocate"));
  expect(decodeMessage(text.replaceAll('"free_memory"', '"free\\u005fmemory"'))).toEqual(
    decodeMessage(text),
  );
});

test("escapes in names: a surrogate pair is one character, a lone surrogate stays", () => {
  const text = JSON.stringify(aMessage("allocate"));
  const named = (name: string) => {
    const { request } = decodeMessage(text.replace('"new.example.com"', name));
    return request.type === "allocate" && request.instance.name;
  };
  expect(named('"caf\\u00e9 \\ud83d\\ude00 \\/"')).toBe("café 😀 /");
  expect(named('"\\ud83d"')).toBe("\ud83d");
  expect(named('"caf\u00e9 😀"')).toBe("café 😀");
  expect(named('"1234567890é"')).toBe("1234567890é");
});

test("a long name is read whole", () => {
  const name = "x".repeat(10_000);
  const message = aMessage("allocate");
  change(message, ["request", "name"], name);
  expect(decoded(message).request).toMatchObject({ instance: { name } });
});

test.each([
  { why: "offline", change: { offline: true }, offline: true, memoryTotalMib: 0 },
  { why: "not vm-capable", change: { vm_capable: false }, offline: true, memoryTotalMib: 0 },
  { why: "drained", change: { drained: true }, offline: true, memoryTotalMib: 32768 },
  { why: "live", change: { vm_capable: null }, offline: false, memoryTotalMib: 32768 },
])("a node that is $why", ({ change: changes, offline, memoryTotalMib }) => {
  const message = aMessage("allocate");
  Object.assign((message.nodes as JsonObject)["node1.example.com"] as JsonObject, changes);
  expect(decoded(message).cluster.nodes[0]).toMatchObject({ offline, memoryTotalMib });
});

test.each([
  { why: "by its parameters", exclusive: false, offline: false, spindleTotal: 2 },
  {
    why: "by its own figure with exclusive storage",
    exclusive: true,
    offline: false,
    spindleTotal: 4,
  },
  { why: "as none when it is offline then", exclusive: true, offline: true, spindleTotal: 0 },
])("a node's spindles count $why", ({ exclusive, offline, spindleTotal }) => {
  const message = aMessage("allocate");
  change(message, ["nodes", "*", "ndparams", "exclusive_storage"], exclusive);
  change(message, ["nodes", "*", "offline"], offline);
  expect(decoded(message).cluster.nodes[0]).toMatchObject({ spindleTotal });
});

test.each([
  { state: "up", status: "running" },
  { state: "down", status: "ADMIN_down" },
  { state: "offline", status: "ADMIN_offline" },
  { state: "sleeping", status: "running" },
  { state: 5, status: "running" },
  { state: null, status: "running" },
])("an instance whose admin_state is $state is $status", ({ state, status }) => {
  const message = aMessage("allocate");
  change(message, ["instances", "*", "admin_state"], state);
  expect(decoded(message).cluster.instances[0]).toMatchObject({ status });
});

test.each([
  { value: true, forthcoming: true },
  { value: false, forthcoming: false },
  { value: 1, forthcoming: false },
  { value: null, forthcoming: false },
])("an instance whose forthcoming is $value", ({ value, forthcoming }) => {
  const message = aMessage("allocate");
  change(message, ["instances", "*", "forthcoming"], value);
  expect(decoded(message).cluster.instances[0]).toMatchObject({ forthcoming });
});

test.each([
  {
    text: "[]",
    code: "malformed_json",
    error: "Parsing input IAllocator message: Unable to read JSObject",
  },
  {
    text: "{}",
    code: "wrong_message",
    error: "invalid iallocator message: key 'request' not found, object contains only []",
  },
] as const)("$text is refused", ({ text, code, error }) => {
  expect(() => decodeMessage(text)).toThrow(new MessageError(code, error));
});

test.each([
  { why: "lists", open: "[", close: "]" },
  { why: "objects", open: '{"a":', close: "}" },
])("$why inside each other are refused in words, however deep", ({ open, close }) => {
  for (const depth of [600, 10_000, 1_000_000]) {
    const text = `{"x":${open.repeat(depth)}1${close.repeat(depth)}}`;
    expect(() => decodeMessage(text)).toThrow(
      /: more than 512 levels of nesting at line 1, column/,
    );
  }
});

test("a request of a type that Ganeti dropped is refused", () => {
  const message = aMessage("allocate");
  change(message, ["request"], { ...aRequest("relocate"), type: "multi-evacuate" });
  expect(() => decoded(message)).toThrow("Invalid request type 'multi-evacuate'");
});
