import type { Json } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import type { OpcodeJson } from "../src/cluster.js";
import { program } from "../src/programs/gnt-instance.js";
import { type Answers, type FakeJob, fakeCluster, tableOf } from "./fake-cluster.js";
import { runLine } from "./run-line.js";

async function ran(line: string, result: Json, answers: Answers = {}) {
  const jobOf = (_: readonly OpcodeJson[], id: number): FakeJob =>
    id === 1 ? { results: [result] } : id === 3 ? { error: ["OpExecError", ["no room"]] } : {};
  const cluster = fakeCluster({ jobOf, ...answers });
  const { code, stdout, stderr } = await runLine(program, line, { cluster });
  return { code, stdout, stderr, cluster };
}

test("a modification prints its changes, and when they take effect", async () => {
  const { stdout } = await ran("modify -H acpi=false web1", [["hv/acpi", false]]);
  expect(stdout).toBe(
    [
      "Modified instance web1",
      " - hv/acpi -> False",
      "Please don't forget that most parameters take effect only at the next (re)start of the instance initiated by ganeti; restarting from within the instance will not be enough.",
      "Note that changing hypervisor parameters without performing a restart might lead to a crash while performing a live migration. This will be addressed in future Ganeti versions.",
      "",
    ].join("\n"),
  );
  expect((await ran("modify --online web1", [])).stdout).toBe("");
});

test("a reservation without a name is shown by its UUID", async () => {
  const uuid = "2c3e1f0a-8d5b-4b8e-9d53-0d6f4a1c7b21";
  const { stdout, cluster } = await ran("add --forthcoming -t plain -s 1g", uuid);
  expect(stdout).toBe(`${uuid}\n`);
  expect(cluster.submitted[0]?.[0]).not.toHaveProperty("instance_name");
});

test("only reservations may have no name", async () => {
  const { code, stderr } = await ran("add -t diskless", null);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: "Error: Command add expects 1 argument(s)\n",
  });
});

test.each([
  { value: "kvm", given: "", sent: undefined },
  { value: null, given: "", sent: "fake" },
  { value: null, given: "-H lxc", sent: "lxc" },
])(
  "a reservation that is made real has its hypervisor, or the cluster's: $value $given",
  async ({ value, given, sent }) => {
    const { cluster } = await ran(`add --commit ${given} web1`, ["node1"], {
      query: async (_, names) => tableOf(names, [[value]]),
      info: async () => ({ default_hypervisor: "fake" }),
    });
    const [opcode] = cluster.submitted[0] ?? [];
    expect(opcode?.hypervisor).toBe(sent);
  },
);

test("activated disks are printed with their paths", async () => {
  const { stdout } = await ran("activate-disks web1", [["node1", "disk/0", "/dev/drbd0"]]);
  expect(stdout).toBe("node1:disk/0:/dev/drbd0\n");
});

test.each([
  [[], "Instance 'web1' has no faulty disks on its primary node\n"],
  [[1], "Repaired disk 1 of instance 'web1'\n"],
  [[0, 2], "Repaired disks 0, 2 of instance 'web1'\n"],
])("a repair of disks %j is told", async (disks, text) => {
  expect((await ran("repair web1", disks)).stdout).toBe(text);
});

const disk_status = [
  [0, "node1.example.com", "primary", "ok"],
  [0, "n2.example.com", "secondary", "degraded"],
];

test("copies on nodes that do not answer are shown as unknown, and reservations have none", async () => {
  const disks = [{ dev_type: "drbd" }, { dev_type: "plain" }];
  const web1 = { disks, pnode: "n1", snodes: ["n2"] };
  const line = "disk-status --no-headers --separator=: web1";
  const offline = "unknown (the node does not answer)";
  const half = { ...web1, disk_status: [[0, "n2", "secondary", "degraded"]] };
  expect((await ran(line, { web1: half })).stdout).toBe(
    `0:n1:primary:${offline}\n0:n2:secondary:degraded\n1:n1:primary:${offline}\n`,
  );
  const none = { ...web1, disk_status: null };
  expect((await ran(line, { web1: none })).stdout).toBe(
    `0:n1:primary:${offline}\n0:n2:secondary:${offline}\n1:n1:primary:${offline}\n`,
  );
  const reserved = { ...none, forthcoming: true };
  expect((await ran(line, { web1: reserved })).stdout).toBe("");
});

test("disk-status prints a table", async () => {
  expect((await ran("disk-status web1", { web1: { disk_status } })).stdout).toBe(
    [
      "Disk Node              Role      Status",
      "   0 node1.example.com primary   ok",
      "   0 n2.example.com    secondary degraded",
      "",
    ].join("\n"),
  );
  const plain = await ran("disk-status --no-headers --separator=: web1", { web1: { disk_status } });
  expect(plain.stdout).toBe(
    "0:node1.example.com:primary:ok\n0:n2.example.com:secondary:degraded\n",
  );
  expect((await ran("disk-status web1", { web1: {} })).stderr).toBe(
    "This server does not report the status of disks: see 'gnt-instance info'\n",
  );
});

test.each([
  [[[true, 2]], 0, "Instance 'web1' changed group successfully."],
  [
    [
      [true, 2],
      [false, "queue full"],
    ],
    1,
    "There were 1 errors while changing group of instance 'web1'.",
  ],
])("jobs of a change of group are followed: %j", async (jobs, code, text) => {
  const waited: number[] = [];
  const { stdout, ...rest } = await ran(
    "change-group web1",
    { jobs },
    {
      waitForChange: async (id) => {
        waited.push(id);
        const results: Json[] = id === 1 ? [{ jobs }] : [null];
        return { values: ["success", ["success"], results], log: [] };
      },
    },
  );
  expect(rest.code).toBe(code);
  expect(stdout).toBe(`Submitted jobs 2\nWaiting for job 2 ...\n${text}\n`);
  expect(waited).toEqual([1, 2]);
});

const noConsole = {
  message: null,
  host: null,
  port: null,
  user: null,
  command: null,
  display: null,
};

test.each<[Json, boolean, number, string]>([
  [{ kind: "msg", message: "There is none" }, true, 0, "There is none"],
  [
    { kind: "vnc", instance: "web1", host: "node1", port: 11000, display: 5100 },
    ...([true, 0] as const),
    "Instance web1 has VNC listening on node1:11000 (display 5100), URL <vnc://node1:11000/>",
  ],
  [
    { kind: "spice", instance: "web1", host: "node1", port: 11000 },
    ...([true, 0] as const),
    "Instance web1 has SPICE listening on node1:11000",
  ],
  [
    {
      kind: "ssh",
      instance: "web1",
      host: "node1",
      user: "root",
      command: ["xl", "console", "web 1"],
    },
    ...([true, 0] as const),
    "ssh -oEscapeChar=none -oHashKnownHosts=no -oGlobalKnownHostsFile=/var/lib/ganeti/known_hosts " +
      "-oUserKnownHostsFile=/dev/null -oCheckHostIp=no -oConnectTimeout=10 " +
      "-oHostKeyAlias=demo.example.com -oBatchMode=yes -oStrictHostKeyChecking=yes -4 -t -t " +
      `root@node1 'xl console '\\''web 1'\\'''`,
  ],
  [
    null,
    true,
    1,
    "Failure: command execution error:\nConsole information for instance web1 is unavailable",
  ],
  [
    null,
    false,
    1,
    "Failure: command execution error:\nInstance web1 is not running, can't get console",
  ],
])("console %j", async (access, runs, code, text) => {
  const console = access === null ? null : { ...noConsole, ...(access as object) };
  const ended = await ran("console --show-cmd web1", null, {
    query: async (_, names) => tableOf(names, [[console, runs]]),
    info: async () => ({ name: "demo.example.com" }),
  });
  expect({ code: ended.code, text: ended.stdout + ended.stderr }).toEqual({
    code,
    text: `${text}\n`,
  });
});
