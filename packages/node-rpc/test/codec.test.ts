// Arguments and answers in the form of Ganeti's master and nodes, decoded and encoded again.
import { inflateSync } from "node:zlib";
import { answered, failed, type NodeCallArguments, type NodeCallName } from "@ganeti-ts/node-calls";
import { aDrbdDisk, anInstance, aPlainDisk } from "@ganeti-ts/node-calls/conformance";
import { type Json, parseJson } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import {
  decodeAnswer,
  decodeArguments,
  encodeAnswer,
  encodeArguments,
  noNodes,
} from "../src/index.js";

const figures = {
  memory_total: 24105,
  memory_free: 22637,
  memory_dom0: 347,
  cpu_total: 2,
  cpu_dom0: 2,
  cpu_nodes: 1,
  cpu_sockets: 1,
};
const running = { memory: 128, vcpus: 1, state: 0, time: 0.5 };
const lv = { "xenvg/a.disk0": ["128.00", false, true] };
const status = { dev_path: "/dev/drbd0", major: 147, minor: 0, is_degraded: true, ldisk_status: 2 };
const fake = { migration_mode: "live" };

/** Calls with their arguments and values on the wire. */
const examples: readonly (readonly [NodeCallName, Json, Json])[] = [
  ["version", [], 3_000_000],
  ["master_node_name", [], "node1.example.com"],
  [
    "node_info",
    [
      [
        ["lvm-vg", "xenvg", [true]],
        ["file", "/srv/files", []],
      ],
      [["fake", fake]],
    ],
    [
      "e989a463-e0f2-4ef0-9153-091869f88d9c",
      [
        { type: "lvm-vg", name: "xenvg", storage_free: null, storage_size: null },
        { type: "file", name: "/srv/files", storage_free: 5, storage_size: 10 },
      ],
      [figures],
    ],
  ],
  ["all_instances_info", [["fake"], { fake, kvm: {} }], { "inst1.example.com": running }],
  ["instance_info", ["inst1.example.com", "fake", fake], running],
  ["instance_info", ["inst1.example.com", "fake", fake], {}],
  [
    "os_diagnose",
    [],
    [["noop", "/srv/os/noop", true, "", ["default"], [["size", "of it"]], [20, 15], true]],
  ],
  ["lv_list", [["xenvg"]], lv],
  ["file_storage_dir_rename", ["/srv/a", "/srv/b"], null],
  ["write_ssconf_files", [{ cluster_name: "c", node_list: ["a", "b"] }], null],
  ["hooks_runner", ["instance-stop", "post", { PATH: "/bin" }], [["post.d/01", 1, "no"]]],
  [
    "node_activate_master_ip",
    [{ uuid: "u", ip: "10.0.0.1", netmask: 24, netdev: "br0", ip_family: 2 }, false],
    null,
  ],
  ["storage_list", ["file", [["/srv/files"]], null, ["name", "size"]], [["/srv/files", 10]]],
  [
    "node_verify",
    [
      {
        filelist: ["/etc/a"],
        version: null,
        time: null,
        lvlist: "xenvg",
        "drbd-list": null,
        "master-ip": ["node1", "10.0.0.1", ["node1"]],
        "file-storage-path": "/srv/files",
        "node-net-test": [[["node1", "10.0.0.1", "10.1.0.1"]], ["node1"]],
      },
      "cluster.example.com",
      { fake },
    ],
    {
      filelist: { "/etc/a": "0123" },
      version: [3_000_000, "3.0.2"],
      time: [1795348707, 9],
      lvlist: lv,
      "drbd-list": "no module",
      "master-ip": null,
      hvinfo: figures,
      "client-cert": [null, "9A:6C"],
      "file-storage-path": "wrong owner",
    },
  ],
];

describe("The wire", () => {
  test.each(examples)(
    "arguments and value of %s are read and written as they were",
    (...example) => {
      const [call, args, value] = example;
      const decoded = decodeArguments(call, args, noNodes);
      expect(encodeArguments(call, decoded, noNodes)).toEqual(args);
      const answer = decodeAnswer(call, [true, value], noNodes);
      expect(answer).toMatchObject({ ok: true });
      expect(encodeAnswer(call, answer, noNodes)).toEqual([true, value]);
    },
  );

  test("an instance keeps the nanoseconds of its reason trail, and contains its disks in full", () => {
    const instance = anInstance({ disks: [aPlainDisk()], network_port: null });
    const reason = [["gnt:client", "why", 1795348383142542848n]] as const;
    const args = { instance, startupPaused: false, reason } as never;
    const wire = encodeArguments("instance_start", args, noNodes) as unknown as [object, boolean];
    expect(wire[0]).toMatchObject({
      disks: ["uuid-data"],
      disks_info: [{ uuid: "uuid-data", dynamic_params: {} }],
    });
    expect(wire[0]).not.toHaveProperty("network_port");
    const text = '[["gnt:client","why",1795348383142542848]]';
    expect(wire).toEqual([expect.anything(), false, parseJson(text)]);
  });

  test("a mirror gets its ends from the context, and its children have none", () => {
    const ends = { localIp: "10.1.0.1", remoteIp: "10.1.0.2", localMinor: 0, remoteMinor: 3 };
    const args = { disk: aDrbdDisk() };
    const [disk] = encodeArguments("blockdev_remove", args, {
      ...noNodes,
      ends: () => ends,
    }) as unknown as [{ children: object[] }];
    expect(disk).toMatchObject({
      dynamic_params: {
        "local-ip": "10.1.0.1",
        "remote-ip": "10.1.0.2",
        "local-minor": 0,
        "remote-minor": 3,
      },
    });
    for (const child of disk.children) expect(child).not.toHaveProperty("dynamic_params");
    expect(decodeArguments("blockdev_remove", [disk] as never, noNodes).disk.ends).toEqual(ends);
  });

  test("states of devices and instances are numbers", () => {
    const find = decodeAnswer("blockdev_find", [true, status], noNodes);
    expect(find).toMatchObject({ value: { localDisk: "sync", syncPercent: null } });
    const info = decodeAnswer("instance_info", [true, { ...running, state: 1 }], noNodes);
    expect(info).toMatchObject({ value: { state: "shutdown" } });
    expect(decodeAnswer("instance_info", [true, { ...running, state: 7 }], noNodes)).toMatchObject({
      message: "RPC layer error: instance_info: 7 is not one of [0,0,1]",
    });
  });

  test("a device that a secondary node does not assemble has no path", () => {
    const answer = decodeAnswer("blockdev_assemble", [true, [true, true]], noNodes);
    expect(answer).toEqual(answered({ path: null, link: null, uri: null }));
    expect(encodeAnswer("blockdev_assemble", answer, noNodes)).toEqual([true, [true, true]]);
  });

  test.each([
    { payload: [true, { size: 7 }], value: { exists: true, sizeBytes: 7 } },
    { payload: [false, {}], value: { exists: false, sizeBytes: 0 } },
  ])("a file has a payload in two parts: $payload", ({ payload, value }) => {
    const answer = decodeAnswer("get_file_info", [true, payload], noNodes);
    expect(answer).toEqual(answered(value));
    expect(encodeAnswer("get_file_info", answer, noNodes)).toEqual([true, payload]);
  });

  test("integers beyond the range of exact ones keep their digits in the text of a failure", () => {
    expect(decodeAnswer("version", [false, [10n ** 20n]], noNodes)).toEqual(
      failed("[100000000000000000000]"),
    );
    const state = decodeAnswer("instance_info", [true, { ...running, state: 10n ** 20n }], noNodes);
    expect(state).toMatchObject({
      message: expect.stringContaining("100000000000000000000 is not"),
    });
  });
});

describe("Descriptions of exports", () => {
  const read = (text: Json) => decodeAnswer("export_info", [true, text], noNodes);

  test("the file of a node is read by sections, and written back unchanged", () => {
    const text = "[export]\nversion = 0\n\n[instance]\nname = web\ntags = \n\n[os]\n\n";
    const answer = read(text);
    expect(answer).toEqual(
      answered({ export: { version: "0" }, instance: { name: "web", tags: "" }, os: {} }),
    );
    expect(encodeAnswer("export_info", answer, noNodes)).toEqual([true, text]);
  });

  test("a value of several lines is written indented and read back unchanged", () => {
    const value = { export: { text: "one\n\ntwo", last: "3" } };
    const [, text] = encodeAnswer("export_info", answered(value), noNodes) as [true, string];
    expect(text).toBe("[export]\ntext = one\n\t\n\ttwo\nlast = 3\n\n");
    expect(read(text)).toEqual(answered(value));
  });

  test("names are converted to lower case, and colons and comments are supported", () => {
    const text = "# by hand\n[export]\nVersion: 0\n; no more\nos=a=b\n";
    expect(read(text)).toEqual(answered({ export: { version: "0", os: "a=b" } }));
  });

  test.each([
    ["a = 1\n", "'a = 1' stands outside a section"],
    ["[export]\nversion\n", "'version' is not a name with a value"],
    ["[export]\na = 1\nA = 2\n", "'a' is there twice"],
    ["[a]\n[a]\n", "section 'a' is there twice"],
    [{}, "object instead of a text"],
  ])("%j is a failed call", (text, message) => {
    expect(read(text)).toEqual(failed(`RPC layer error: export_info: ${message}`));
  });

  test("a disk that was not copied is false on the wire, and disks have no ends", () => {
    const args = { instance: anInstance(), disks: [null, aPlainDisk()] };
    const wire = encodeArguments("finalize_export", args, noNodes) as Json[];
    expect(wire[1]).toEqual([false, expect.not.objectContaining({ dynamic_params: {} })]);
    expect(decodeArguments("finalize_export", wire, noNodes)).toEqual(args);
  });
});

describe("Uploads", () => {
  const upload = (content: string): NodeCallArguments<"upload_file"> => ({
    path: "/var/lib/ganeti/config.data",
    content,
    mode: 0o100640,
    owner: "gnt-masterd",
    group: "gnt-confd",
    accessedAt: 1.5,
    modifiedAt: 2.5,
  });

  test("content is compressed from 512 characters on, and read in both forms", () => {
    const [short, long] = ["ä".repeat(511), "ä".repeat(512)].map((content) => {
      const wire = encodeArguments("upload_file_single", upload(content), noNodes);
      expect(decodeArguments("upload_file_single", wire, noNodes)).toEqual(upload(content));
      return (wire as [Json, [number, string]])[1];
    });
    expect(short).toEqual([0, "ä".repeat(511)]);
    expect(long?.[0]).toBe(1);
    expect(inflateSync(Buffer.from(long?.[1] ?? "", "base64")).toString()).toBe("ä".repeat(512));
  });

  test.each([
    [[2, "x"], "Unknown data encoding"],
    [[1, "not base64 of zlib"], /^compressed content: /],
    [[0, 7], "number instead of a text"],
  ])("the content %j is refused", (content, message) => {
    const [path, , ...rest] = encodeArguments("upload_file_single", upload(""), noNodes) as Json[];
    const args = [path, content, ...rest] as Json;
    expect(() => decodeArguments("upload_file_single", args, noNodes)).toThrow(message);
  });

  test("in a virtual cluster, paths have the prefix, and others are refused", () => {
    const virtual = { ...noNodes, virtualPaths: true };
    const wire = encodeArguments("upload_file", upload("x"), virtual) as [[string]];
    expect(wire[0][0]).toBe("/###-VIRTUAL-PATH-###,/var/lib/ganeti/config.data");
    expect(decodeArguments("upload_file", wire, virtual)).toEqual(upload("x"));
    const plain = encodeArguments("upload_file", upload("x"), noNodes);
    expect(() => decodeArguments("upload_file", plain, virtual)).toThrow(
      "Path '/var/lib/ganeti/config.data' is not a virtual path",
    );
  });
});

describe("Arguments of another form are refused", () => {
  test.each<readonly [string, NodeCallName, Json, string | RegExp]>([
    ["too few", "instance_start", [{}], "not enough values to unpack (expected 3, got 1)"],
    ["too many", "bridges_exist", [[], 1], "not enough values to unpack (expected 1, got 2)"],
    ["no list", "bridges_exist", { bridges: [] }, "object instead of a list"],
    ["a wrong type", "bridges_exist", ["br0"], /^arguments at bridges: /],
    [
      "an unknown attribute of a disk",
      "blockdev_remove",
      [{ uuid: "u", dev_type: "plain", logical_id: ["a", "b"], size: 1, nosuch: 1 }],
      /^arguments at disk: .*nosuch/,
    ],
  ])("%s", (_, call, args, message) => {
    expect(() => decodeArguments(call, args, noNodes)).toThrow(message);
  });
});
