import type { FilterExpression, Json } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import type { OpcodeJson } from "../src/cluster.js";
import { program } from "../src/programs/gnt-instance.js";
import { type Answers, fakeCluster, tableOf } from "./fake-cluster.js";
import { type Circumstances, runLine } from "./run-line.js";

/** Instances `web1` to `webN`; node1 is primary of the odd ones and secondary of the others. */
function clusterOf(count: number, answers: Answers = {}) {
  const names = Array.from({ length: count }, (_, at) => `web${at + 1}.example.com`);
  const asked: FilterExpression[] = [];
  const cluster = fakeCluster({
    query: async (kind, fields, filter) => {
      asked.push(filter);
      if (kind === "node") {
        const even = names.filter((_, at) => at % 2 === 1);
        const odd = names.filter((_, at) => at % 2 === 0);
        return tableOf(fields, [["node1.example.com", odd, even]]);
      }
      if (kind === "job") return tableOf(fields, []);
      const texts = JSON.stringify(filter);
      const chosen = names.filter(
        (name) =>
          filter === null ||
          texts.includes(`"${name}"`) ||
          texts.includes(`"${name.split(".")[0]}"`),
      );
      return tableOf(
        fields,
        chosen.map((name) => fields.map((field) => (field === "name" ? name : false))),
      );
    },
    ...answers,
  });
  return { cluster, asked };
}

async function ran(line: string, circumstances: Circumstances & { readonly count?: number } = {}) {
  const { cluster } = clusterOf(circumstances.count ?? 3);
  const { code, stdout, stderr } = await runLine(program, line, { cluster, ...circumstances });
  const submitted = cluster.submitted.map(([opcode]) => opcode as OpcodeJson);
  return { code, stdout, stderr, submitted };
}

const namesOf = (opcodes: readonly OpcodeJson[]) =>
  opcodes.map(({ instance_name: name }) => String(name).split(".")[0]);

const refusal = (text: string, code = "wrong_input") =>
  `Failure: prerequisites not met for this operation:\nerror type: ${code}, error details:\n${text}\n`;

test("one instance is stopped without a confirmation", async () => {
  const { code, stdout, submitted } = await ran("stop web2");
  expect(submitted).toMatchObject([
    {
      OP_ID: "OP_INSTANCE_SHUTDOWN",
      instance_name: "web2.example.com",
      dry_run: false,
      reason: [["gnt:client:gnt-instance", "shutdown", 1_800_000_000_000_000_000n]],
    },
  ]);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: "Waiting for job 1 for web2.example.com ...\n",
  });
});

test("stopping several instances needs a confirmation, which fails without a terminal", async () => {
  expect(await ran("stop web1 web3")).toMatchObject({ code: 1, stdout: "", submitted: [] });
  const { stdout, submitted } = await ran("stop web1 web3", { typed: ["?", "y"] });
  expect(namesOf(submitted)).toEqual(["web1", "web3"]);
  const question = [
    ...["The shutdown will operate on 2 instances.", "Do you want to continue?"],
    ...["Affected instances:", "  web1.example.com", "  web3.example.com", "y/[n]/?: "],
  ].join("\n");
  const help = " y - Yes, execute the shutdown\n n - No, abort the shutdown\n\n";
  expect(stdout).toBe(
    `${question}${help}${question}Submitted jobs 1, 2\n` +
      "Waiting for job 1 for web1.example.com ...\nWaiting for job 2 for web3.example.com ...\n",
  );
});

test("more than 20 names are shown only on request", async () => {
  const { code, stdout } = await ran("startup --all", { count: 21, typed: ["v", "n"] });
  expect(code).toBe(1);
  const [asked, viewed] = stdout.split("y/v/[n]/?: ");
  expect(asked).toBe("The startup will operate on 21 instances.\nDo you want to continue?\n");
  expect(viewed).toContain("Affected instances:\n  web1.example.com\n");
  expect(viewed).toContain("y/[n]/?: ");
});

test.each([
  ["stop --force-multiple --all", ["web1", "web2", "web3"]],
  ["stop --force-multiple --primary node1", ["web1", "web3"]],
  ["stop --force-multiple --secondary node1", ["web2"]],
  ["stop --force-multiple --node node1", ["web1", "web3", "web2"]],
  ["stop --force-multiple --pri-node-tags rack:a", ["web1", "web3"]],
  ["stop web2 web2.example.com", ["web2"]],
])("%s is about %j", async (line, names) => {
  expect(namesOf((await ran(line)).submitted)).toEqual(names);
});

test("tags select instances by a filter", async () => {
  const { cluster, asked } = clusterOf(1);
  await runLine(program, "stop --force-multiple --tags a b", { cluster });
  await runLine(program, "stop --force-multiple --node-tags a", { cluster });
  expect(asked.slice(0, 2)).toEqual([
    ["|", ["=[]", "tags", "a"], ["=[]", "tags", "b"]],
    ["|", ["=[]", "tags", "a"]],
  ]);
});

test.each([
  ["stop", "No instance names passed"],
  ["stop nosuch", "Selection filter does not match any instances"],
  ["stop --node", "No node names passed"],
  ["stop --tags", "No instance tags passed"],
  ["stop --sec-node-tags", "No node tags passed"],
  ["stop --all web1", "Cluster filter mode takes no arguments"],
  ["stop --all --node node1", "Only one of the options --all, --node makes sense"],
])("%s is refused: %s", async (line, text) => {
  expect(await ran(line)).toEqual({ code: 1, stdout: "", stderr: refusal(text), submitted: [] });
});

test("unknown names cause a warning, and the other instances are stopped", async () => {
  const { stderr, submitted } = await ran("stop web1 nosuch");
  expect(namesOf(submitted)).toEqual(["web1"]);
  expect(stderr).toBe("Warning: there is no instance nosuch\n");
});

test("stopping all instances of an empty cluster does nothing", async () => {
  expect(await ran("stop --all", { count: 0 })).toMatchObject({
    code: 0,
    stdout: "Cluster is empty, no instances to shutdown\n",
  });
});

test("--submit prints the jobs and does not wait", async () => {
  const { stdout, code } = await ran("stop --submit --force-multiple web1 web2");
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: "1: web1.example.com\n2: web2.example.com\n",
  });
});

test.each([
  [
    "remove web1",
    "This will remove the volumes of the instance web1 (including mirrors), thus removing all the data of the instance. Continue?",
  ],
  [
    "reinstall -o debian web1",
    "This will reinstall the instance 'web1.example.com' (and change the OS to 'debian') which removes all data. Continue?",
  ],
  [
    "reinstall web1 web2",
    "The reinstall will operate on 2 instances. Note: this will remove *all* data for the below instances! It will keep the same OS. Do you want to continue?",
  ],
  [
    "failover web1",
    "Failover will happen to image web1. This requires a shutdown of the instance. Continue?",
  ],
  [
    "migrate web1",
    "Instance web1 will be migrated. Note that migration might impact the instance if anything goes wrong (e.g. due to bugs in the hypervisor). Continue?",
  ],
  [
    "migrate --cleanup web1",
    "Instance web1 will be recovered from a failed migration. Note that the migration procedure (including cleanup) might impact the instance if anything goes wrong (e.g. due to bugs in the hypervisor). Continue?",
  ],
  [
    "move -n node2 web1",
    "Instance web1 will be moved. This requires a shutdown of the instance. Continue?",
  ],
  [
    "rename --no-name-check web1 web2",
    "As you disabled the check of the DNS entry, please verify that 'web2' is a FQDN. Continue?",
  ],
  [
    "modify --hotplug --net 0:ip=10.0.0.1 web1",
    "You are about to hot-modify a NIC. This will be done by removing the existing NIC and then adding a new one. Network connection might be lost. Continue?",
  ],
])("%s asks first", async (line, question) => {
  const { code, stdout, submitted } = await ran(line, { typed: ["n"] });
  expect({ code, submitted }).toEqual({ code: 1, submitted: [] });
  expect(stdout.replaceAll("\n", " ")).toContain(question);
  const { submitted: done } = await ran(line, { typed: ["y"] });
  expect(done.length).toBeGreaterThan(0);
});

test("failover --ignore-consistency needs a second confirmation", async () => {
  const line = "failover --ignore-consistency web1";
  const { code, stdout, submitted } = await ran(line, { typed: ["y", "n"] });
  expect({ code, submitted }).toEqual({ code: 1, submitted: [] });
  expect(stdout.replaceAll("\n", " ")).toContain(
    "To failover instance web1, the source node must be marked offline first. Is this already the case?",
  );
  expect((await ran(line, { typed: ["y", "y"] })).submitted).toHaveLength(1);
});

test.each(["remove nosuch", "failover nosuch", "migrate nosuch"])(
  "%s says that there is no such instance, before it asks",
  async (line) => {
    const { stderr, stdout } = await ran(line, { typed: ["y"] });
    expect({ stdout, stderr }).toEqual({
      stdout: "",
      stderr: refusal("Instance 'nosuch' does not exist", "unknown_entity"),
    });
  },
);

test("removing a reservation has a confirmation of its own", async () => {
  const query = async () => tableOf(["forthcoming"], [[true]]);
  const cluster = fakeCluster({ query });
  const { stdout } = await runLine(program, "remove web1", { cluster, typed: ["n"] });
  expect(stdout).toBe("This will drop the reservation web1. Continue?\ny/[n]/?: ");
});

test("an operating system can be selected by number", async () => {
  const jobOf = ([opcode]: readonly OpcodeJson[]) =>
    opcode?.OP_ID === "OP_OS_DIAGNOSE"
      ? { results: [Object.entries({ debian: ["stable", "testing"], noop: [] })] as Json[] }
      : {};
  const { cluster } = clusterOf(1, { jobOf });
  const { stdout } = await runLine(program, "reinstall -f --select-os web1", {
    cluster,
    typed: ["1"],
  });
  expect(stdout).toContain("Available OS templates:\n  0: debian+stable\n  1: debian+testing\n");
  expect(cluster.submitted.at(-1)).toMatchObject([{ os_type: "debian+testing" }]);
  const { code, stderr } = await runLine(program, "reinstall -f --select-os web1", {
    cluster,
    typed: ["x"],
  });
  expect({ code, stderr }).toEqual({ code: 1, stderr: "User aborted reinstall, exiting\n" });
});
