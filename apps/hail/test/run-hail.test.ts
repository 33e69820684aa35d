// Whole runs of hail in a world in memory.
import { expect, test } from "vitest";
import { hailIn, type World } from "./fake-ports.js";
import { wireInstance, wireMessage, wireNode } from "./message.js";

const json = (message: unknown) => JSON.stringify(message);
const world: World = { files: { request: json(wireMessage()) } };

test("a request is answered on stdout, and stderr is silent", async () => {
  expect(await hailIn(world, "request")).toEqual({
    exitCode: 0,
    stdout: expect.stringContaining('"result":["node3"]}\n'),
    stderr: "",
    slept: 0,
    written: {},
  });
});

test("hail reads standard input for the operand -", async () => {
  const { stdout } = await hailIn({ stdin: json(wireMessage()) }, "-");
  expect(stdout).toBe((await hailIn(world, "request")).stdout);
});

test("a request without a placement is answered with exit code 0", async () => {
  const message = wireMessage({ nodes: {} });
  const { exitCode, stdout } = await hailIn({ stdin: json(message) }, "-");
  expect(exitCode).toBe(0);
  expect(stdout).toBe('{"success":false,"info":"Request failed: ","result":[]}\n');
});

const invalidByte = new Uint8Array([0xff]);
test.each<{ why: string; files: NonNullable<World["files"]>; argv: string[]; stderr: string }>([
  { why: "no file", files: {}, argv: [], stderr: "Error: This program needs an input file.\n" },
  {
    why: "two files",
    files: {},
    argv: ["a", "b"],
    stderr: "Error: Only one argument is accepted (the input file)\n",
  },
  {
    why: "a missing file",
    files: {},
    argv: ["a"],
    stderr: "hail: a: openFile: does not exist (No such file or directory)\n",
  },
  {
    why: "a forbidden file",
    files: { a: { code: "EACCES" } },
    argv: ["a"],
    stderr: "hail: a: openFile: permission denied (Permission denied)\n",
  },
  {
    why: "a directory",
    files: { a: { code: "EISDIR" } },
    argv: ["a"],
    stderr: "hail: a: openFile: inappropriate type (is a directory)\n",
  },
  {
    why: "a failure without a text of its own",
    files: { a: { code: "EWEIRD" } },
    argv: ["a"],
    stderr: "hail: a: openFile: failed (EWEIRD: failed)\n",
  },
  {
    why: "a message without request",
    files: { a: "{}" },
    argv: ["a"],
    stderr: "Error: invalid iallocator message: key 'request' not found, object contains only []\n",
  },
  {
    why: "a missing text file",
    files: { a: json(wireMessage()) },
    argv: ["a", "-t", "b"],
    stderr:
      "Error: failed to load data, aborting: b: openFile: does not exist (No such file or directory)\n",
  },
  {
    why: "a text file that is not UTF-8",
    files: { a: json(wireMessage()), b: invalidByte },
    argv: ["a", "-t", "b"],
    stderr: "hail: b: hGetContents: invalid argument (invalid byte sequence)\n",
  },
  {
    why: "a bad simulation",
    files: { a: json(wireMessage()) },
    argv: ["a", "--simulate=p,x,1,1,1"],
    stderr: "Error: failed to load data, aborting: node count: cannot parse string 'x'\n",
  },
  {
    why: "a state that cannot be kept",
    files: { a: json(wireMessage()), "b.pre-ialloc": { code: "EISDIR" } },
    argv: ["a", "-S", "b"],
    stderr: "hail: b.pre-ialloc: openFile: inappropriate type (Is a directory)\n",
  },
])("$why is refused with exit code 1 and an empty stdout", async ({ files, argv, stderr }) => {
  expect(await hailIn({ files }, ...argv)).toMatchObject({ exitCode: 1, stdout: "", stderr });
});

test("wrong options end with exit code 2 and the usage", async () => {
  const { exitCode, stdout, stderr } = await hailIn(world, "--frobnicate", "request");
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toMatch(/^Command line error: unrecognized option `--frobnicate'\n\nhail \(/);
});

test("an inconsistent cluster causes warnings, last node first", async () => {
  const nodes = {
    node1: wireNode({ free_memory: 1000, free_disk: 1000000 }),
    node2: wireNode(),
    node3: wireNode({ free_disk: 0 }),
  };
  const { exitCode, stderr } = await hailIn({ stdin: json(wireMessage({ nodes })) }, "-");
  expect(exitCode).toBe(0);
  expect(stderr).toBe(
    `Warning: cluster has inconsistent data:
  - node node3 is missing 0 MB ram and 1000 GB disk
  - node node1 is missing 30744 MB ram and 23 GB disk

`,
  );
});

test("tables and saved states show the cluster before and after, in this order", async () => {
  const { stderr, written } = await hailIn(
    world,
    "-pname,pcnt,plist",
    "-S",
    "state",
    "-v",
    "request",
  );
  expect(stderr).toBe(`Received request: allocate web on 1 node, in any group
Received instance: web, running, memory 1024 MiB, 1 vcpu, ext 10240 MiB, disks 10240 MiB, spindle use 1

Initial cluster status:
 Name  pcnt primaries
 node1    0        []
 node2    0        []
 node3    0        []

The cluster state before iallocator run has been written to file 'state.pre-ialloc'

Final cluster status:
 Name  pcnt primaries
 node1    0        []
 node2    0        []
 node3    1      [-1]

The cluster state after iallocator run has been written to file 'state.post-ialloc'
`);
  expect(Object.keys(written)).toEqual(["state.pre-ialloc", "state.post-ialloc"]);
  expect(written["state.pre-ialloc"]).not.toContain("web|");
  expect(written["state.post-ialloc"]).toContain(
    "\nweb|1024|10240|1|running|Y|node3||ext||1|-|N\n",
  );
});

test("-v -v describes the cluster as well as the request", async () => {
  const { stderr } = await hailIn(world, "-vv", "request");
  expect(stderr).toContain("Received cluster data: 1 group, 3 nodes, 0 instances");
});

test("-v reports the lost-allocations metric", async () => {
  const storage = {
    ndparams: { exclusive_storage: true, spindle_count: 12 },
    total_spindles: 4,
    free_spindles: 4,
  };
  const message = json(wireMessage({ nodes: { node1: wireNode(storage) } }));
  const line = "Allocation on a dedicated cluster; using lost-allocations metrics.\n";
  expect((await hailIn({ stdin: message }, "-v", "-")).stderr.endsWith(line)).toBe(true);
  expect((await hailIn({ stdin: message }, "-")).stderr).toBe("");
});

test("a text file replaces the cluster; both are checked", async () => {
  const nodes = { node1: wireNode({ free_disk: 0 }) };
  const text = "g|u|preferred||\n\nalpha|4096|0|1024|0|0|4|N|u\nbeta|4096|0|4096|0|0|4|N|u\n\n\n\n";
  const files = { request: json(wireMessage({ nodes })), text };
  const { stdout, stderr } = await hailIn(
    { files },
    "-t",
    "text",
    "--no-capacity-checks",
    "request",
  );
  expect(stderr).toBe(
    `Warning: cluster has inconsistent data:
  - node node1 is missing 0 MB ram and 1000 GB disk

Warning: cluster has inconsistent data:
  - node alpha is missing 3072 MB ram and 0 GB disk

`,
  );
  expect(stdout).toContain("for node(s) beta");
});

test("exclusion tags of a new instance are interpreted by its own message", async () => {
  const request = { ...(wireMessage().request as object), tags: ["svc:a", "svc:b"] };
  const message = (...tags: string[]) => json(wireMessage({ request, cluster_tags: tags }));
  const own = await hailIn(
    { stdin: message("htools:iextags:svc") },
    "-pptags",
    "--simulate=p,2,1t,64g,8",
    "-",
  );
  expect(own.stderr).toContain(" svc:a=1,svc:b=1\n");
  const text = "g|u|preferred||\n\nalpha|4096|0|4096|0|0|4|N|u\n\n\nhtools:iextags:svc\n";
  const replacing = await hailIn({ files: { text }, stdin: message() }, "-pptags", "-ttext", "-");
  expect(replacing.stderr).not.toContain("svc");
});

test("a simulation replaces the cluster, wins over a text file and counts nodes from 1", async () => {
  const { stdout, stderr } = await hailIn(
    world,
    "-pidx,fqdn",
    "--simulate=u,1,9g,9g,9",
    "--simulate=p,2,1t,64g,8",
    "-t",
    "missing",
    "request",
  );
  expect(stdout).toContain('"result":["node-01-002"]');
  expect(stderr).toMatch(
    /^\nInitial .*\n Index Name *\n {5}1 node-01-001\n.*\n {5}3 node-02-001\n/,
  );
});

const existing = wireMessage({
  instances: { db: wireInstance({ nodes: ["node3", "node1"], disk_template: "drbd" }) },
});
test.each([
  [
    { type: "node-evacuate", instances: ["db"], evac_mode: "all" },
    "1 of its instances",
    "0 instances",
  ],
  [
    { type: "relocate", name: "db", required_nodes: 1, relocate_from: ["node1"] },
    "1 of its instances",
    "0",
  ],
  [{ type: "allocate-secondary", name: "db" }, "1 of its instances", "0 instances"],
  [{ type: "change-group", instances: ["db"], target_groups: [] }, "1 of its instances", "0 inst"],
])(
  "what the replacing cluster does not have is refused in words: %j",
  async (request, means, has) => {
    const stdin = json({ ...existing, request });
    const { exitCode, stdout, stderr } = await hailIn({ stdin }, "--simulate=p,3,1t,64g,8", "-");
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toMatch(/Error: The request means number .*\n$/);
    expect(stderr).toContain(means);
    expect(stderr).toContain(has);
  },
);

test("restrictions on the command line override those of the request", async () => {
  const request = { ...(wireMessage().request as object), "restrict-to-nodes": ["node2"] };
  const stdin = json(wireMessage({ request }));
  expect((await hailIn({ stdin }, "-")).stdout).toContain('"result":["node2"]');
  const { stdout } = await hailIn({ stdin }, "--restrict-allocation-to=node1,nope", "-");
  expect(stdout).toContain('"result":["node1"]');
});

test("on KVM the node's own memory is the value of --static-kvm-node-memory", async () => {
  const stdin = json(wireMessage({ enabled_hypervisors: ["kvm"] }));
  const memory = async (...argv: string[]) =>
    (await hailIn({ stdin }, "-pnmem", ...argv, "-")).stderr.match(/\d+/)?.[0];
  expect(await memory()).toBe("4096");
  expect(await memory("--static-kvm-node-memory=512")).toBe("512");
  expect(await memory("--static-kvm-node-memory=0")).toBe("1024");
});

test("an internal error is printed as one line without a stack trace", async () => {
  const broken = () => {
    throw new TypeError("undefined is not a function\nat somewhere");
  };
  const { exitCode, stderr } = await hailIn({ ...world, change: { readFile: broken } }, "request");
  expect(exitCode).toBe(1);
  expect(stderr).toBe(
    "hail: internal error: TypeError: undefined is not a function (GANETI_TS_DEBUG=1 shows where)\n",
  );
});

test("hail ends quietly when stdout is closed", async () => {
  const stdout = () => {
    throw Object.assign(new Error("write EPIPE"), { code: "EPIPE", syscall: "write" });
  };
  const outcome = await hailIn({ ...world, change: { stdout } }, "request");
  expect(outcome).toMatchObject({ exitCode: 1, stderr: "" });
});

test("a request without a placement gets an answer with the reason", async () => {
  const stdout = () => {
    throw Object.assign(new Error("write"), { code: "ENOSPC", syscall: "write" });
  };
  const outcome = await hailIn({ ...world, change: { stdout } }, "request");
  expect(outcome).toMatchObject({
    exitCode: 1,
    stderr: "hail: <stdout>: hClose: resource exhausted (No space left on device)\n",
  });
});
