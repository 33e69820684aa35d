import type { Json } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import type { Program } from "../src/command.js";
import { ServerLacks } from "../src/errors.js";
import { program as backup } from "../src/programs/gnt-backup.js";
import { program as os } from "../src/programs/gnt-os.js";
import { program as storage } from "../src/programs/gnt-storage.js";
import { fakeCluster, tableOf } from "./fake-cluster.js";
import { runLine } from "./run-line.js";

async function ran(program: Program, line: string, result: Json = null) {
  const cluster = fakeCluster({ jobOf: () => ({ results: [result] }) });
  const { code, stdout, stderr } = await runLine(program, line, { cluster });
  return { code, stdout, stderr, opcode: cluster.submitted[0]?.[0] };
}

test("operating systems are listed with their variants; the title is padded", async () => {
  const listed = [
    ["debian", ["stable", "testing"]],
    ["noop", []],
  ];
  expect((await ran(os, "list", listed)).stdout).toBe(
    "Name          \ndebian+stable\ndebian+testing\nnoop\n",
  );
  expect((await ran(os, "list --no-headers", listed)).stdout).toBe(
    "debian+stable\ndebian+testing\nnoop\n",
  );
});

test("a server of Ganeti returns only the names of operating systems", async () => {
  const cluster = fakeCluster({
    submit: async () => {
      throw new ServerLacks("it cannot");
    },
    call: async (method, path) => (`${method} ${path}` === "GET /2/os" ? ["noop+default"] : null),
  });
  expect((await runLine(os, "list", { cluster })).stdout).toBe("Name        \nnoop+default\n");
});

const parameters = [["fs", "The file system"]];
const good = ["/os/debian", true, "", ["stable"], parameters, [20, 15], true];
const bad = ["/os/debian", false, "no create script", [], [], [], false];
const old = ["/os/debian", true, "", [], [], [10], true];

test.each<[string, Json, Json, number]>([
  ["valid everywhere", { node2: [good], node10: [good, bad] }, false, 0],
  ["valid here and there", { node1: [good], node2: [bad], node3: [] }, true, 1],
  ["valid nowhere", { node1: [bad] }, false, 1],
  ["of an old version", { node1: [old] }, false, 0],
])("an operating system %s", async (what, nodes, hidden, code) => {
  const row = ["debian", true, ["stable"], nodes, hidden, hidden];
  const told = await ran(os, "diagnose", [row]);
  expect(told.code).toBe(code);
  await expect(told.stdout).toMatchFileSnapshot(`golden/os ${what}.txt`);
});

const row = (name: string, valid: boolean, hvp: Json): Json => [
  ...[name, valid, ["stable", "testing"], parameters, [20, 15], false, true],
  ...[hvp, { "debian+old": { fs: "ext2" } }, true],
];

test("os info shows existing systems, and the settings of named ones that do not exist", async () => {
  const rows = [
    row("debian", true, { "debian+old": { kvm: { acpi: false } } }),
    row("bad", false, {}),
  ];
  expect((await ran(os, "info", rows)).stdout).toBe(
    [
      ...["debian:", "  - valid: True", "  - hidden: True", "  - blacklisted: False"],
      ...["  - API versions:", "    - 15", "    - 20", "  - variants:", "    - stable"],
      ...["    - testing", "  - parameters:", "    - fs: The file system", "  - trusted: True", ""],
      ...["bad:", "  - valid: False", "  - hidden: True", "  - blacklisted: False"],
      ...["  - trusted: True", "", ""],
    ].join("\n"),
  );
  expect((await ran(os, "info nosuch debian+old", rows)).stdout).toBe(
    [
      ...["nosuch: ", "", "debian+old: ", "  OS-specific hypervisor parameters: ", "    kvm: "],
      ...["      acpi: False", "  OS parameters: ", "    fs: ext2", "", ""],
    ].join("\n"),
  );
});

test.each<[string, Json]>([
  [
    "-O fs=ext4 --hidden=yes",
    { osparams: { debian: { fs: "ext4" } }, hidden_os: [["add", "debian"]] },
  ],
  [
    "--hidden=no --blacklisted=yes",
    {
      hidden_os: [["remove", "debian"]],
      blacklisted_os: [["add", "debian"]],
    },
  ],
  [
    "-H kvm:acpi=false -H fake:-x",
    { os_hvp: { debian: { kvm: { acpi: "false" }, fake: { x: null } } } },
  ],
  [
    "--os-parameters-private key=secret",
    { osparams_private_cluster: { debian: { key: "secret" } } },
  ],
])("gnt-os modify %s", async (line, says) => {
  const { opcode } = await ran(os, `modify ${line} debian`);
  expect(opcode).toMatchObject({ OP_ID: "OP_CLUSTER_SET_PARAMS", ...(says as object) });
});

test("gnt-os modify refuses a command without changes", async () => {
  expect(await ran(os, "modify debian")).toEqual({
    code: 1,
    stdout: "",
    opcode: undefined,
    stderr: "At least one of OS parameters or hypervisor parameters must be passed\n",
  });
});

const provider = ["/ext/pvdr1", true, "", [["pool", "Where volumes are"]]];
const broken = ["/ext/pvdr1", false, "no create script", []];

test("storage providers are shown by node and group", async () => {
  const rows = [
    ["pvdr1", { node2: [broken], node1: [provider], node3: [] }, { g2: false, g1: true }],
  ];
  expect((await ran(storage, "diagnose", rows)).stdout).toBe(
    [
      ...["Provider: pvdr1", "---"],
      "  Node: node1, status: valid (path: /ext/pvdr1) [parameters: pool]",
      "  Node: node2, status: invalid - no create script (path: /ext/pvdr1) [no parameters]",
      "  Node: node3, status: ExtStorage provider not found",
      ...["  --", "  For nodegroup: g1 --> valid", "  For nodegroup: g2 --> invalid", "", ""],
    ].join("\n"),
  );
});

test("storage info shows parameters, also for named providers that do not exist", async () => {
  const rows = [
    ["pvdr1", { g10: true, g2: true, g3: false }, [["pool", "Where volumes are"]]],
    ["pvdr2", { g2: false }, []],
  ];
  expect((await ran(storage, "info pvdr1 nosuch", rows)).stdout).toBe(
    [
      ...["pvdr1:", "  - Valid for nodegroups:", "      g2", "      g10"],
      ...["  - Supported parameters:", "      pool: Where volumes are", ""],
      ...["nosuch: Not Found", "", ""],
    ].join("\n"),
  );
  expect((await ran(storage, "info pvdr2", rows)).stdout).toBe(
    "pvdr2:\n  - Invalid for all nodegroups\n\n",
  );
});

test("a cluster may have no providers", async () => {
  expect(await ran(storage, "diagnose", [])).toMatchObject({
    code: 1,
    stderr: "Can't get the list of ExtStorage providers\n",
  });
  expect(await ran(storage, "info", [])).toMatchObject({
    code: 1,
    stderr: "Can't get the ExtStorage providers list\n",
  });
});

test("an export needs a target node", async () => {
  const line =
    "export -n node2 --noshutdown --remove-instance --zero-free-space --zeroing-timeout-per-mib=0.5 web1";
  expect((await ran(backup, line)).opcode).toMatchObject({
    OP_ID: "OP_BACKUP_EXPORT",
    instance_name: "web1",
    mode: "local",
    target_node: "node2",
    shutdown: false,
    remove_instance: true,
    zero_free_space: true,
    zeroing_timeout_per_mib: 0.5,
  });
  expect((await ran(backup, "export web1")).stderr).toContain("Target node must be specified");
  expect((await ran(backup, "remove web1")).opcode).toMatchObject({
    OP_ID: "OP_BACKUP_REMOVE",
    instance_name: "web1",
  });
});

test("exports of the named nodes are listed", async () => {
  const filters: unknown[] = [];
  const cluster = fakeCluster({
    query: async (_, fields, filter) => {
      filters.push(filter);
      const { fields: named } = tableOf(fields, []);
      return {
        fields: named,
        data: [
          [
            [0, "node1"],
            [2, null],
          ],
        ],
      };
    },
  });
  const { stdout } = await runLine(backup, "list -n node1 -n node2", { cluster });
  await runLine(backup, "list", { cluster });
  expect(stdout).toBe("node  export\nnode1 ?\n");
  expect(filters).toEqual([["|", ["==", "node", "node1"], ["==", "node", "node2"]], null]);
});
