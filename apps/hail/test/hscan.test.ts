// hscan prints and writes what Ganeti's does.
import { HscanReport } from "@ganeti-ts/protocol";
import { randomMessage } from "@ganeti-ts/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { hscan } from "../src/hscan/program.js";
import { runIn, type World } from "./fake-ports.js";
import { type HttpServer, originalBeside, rapiFiles, realmOf, startRapi } from "./masters.js";
import {
  aRealm,
  type Master,
  type Realm,
  realmInstance,
  realmNode,
  startMaster,
} from "./mock-master.js";
import { type Printed, whatIsMissing } from "./original.js";

const missing = whatIsMissing("hscan");
if (missing)
  console.warn(`\n*** SKIPPED: hscan is not compared with the original: ${missing} ***\n`);

const open: (Master | HttpServer)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function ours(argv: readonly string[], world: World = {}): Promise<Printed> {
  const { exitCode, stdout, stderr, written } = await runIn(hscan, world, ...argv);
  const files = Object.entries(written).map(([path, text]) => [path.replace(/^\.\//, ""), text]);
  return { exitCode, stdout, stderr, written: Object.fromEntries(files) };
}

async function started<T extends Master | HttpServer>(server: Promise<T>): Promise<T> {
  open.push(await server);
  return await server;
}

const small = aRealm({
  nodes: [
    realmNode("node1.example.com", { mnode: 3000, tags: ["rack:1"] }),
    realmNode("node2.example.com", { offline: true, mtotal: null, mfree: null }),
    realmNode("node3.example.com", { mfree: 100, dtotal: 2000000.5 }),
  ],
  instances: [
    realmInstance("web.example.com", ["node1.example.com", "node3.example.com"]),
    realmInstance("mail.example.com", ["node3.example.com"], { forthcoming: true }),
  ],
  info: { ...aRealm().info, master: "node1.example.com", default_hypervisor: "kvm", tags: ["t"] },
});

// Recorded from Ganeti 3.0.2.
const smallText = `default|uuid-1|preferred||

node1.example.com|32768|3000|31000|1048576|900000|8|M|uuid-1|1|rack:1|N|0|1|1.0
node2.example.com|0|0|0|0|0|0|Y|uuid-1|1||N|0|0|1.0
node3.example.com|32768|1024|100|2000000|900000|8|N|uuid-1|1||N|0|1|1.0
`;

test("hscan prints a line per cluster and saves it as received", async () => {
  const { socket } = await started(startMaster(small));
  const { exitCode, stdout, stderr, written } = await ours([`-L${socket}`]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toBe(
    "Name  Nodes  Inst BNode BInst  t_mem  f_mem t_disk f_disk      Score\n" +
      "LOCAL     3     2     1     1  65536  31100   2977   1757 3.22168485\n",
  );
  expect(Object.keys(written)).toEqual(["LOCAL.data"]);
  expect(written["LOCAL.data"]).toContain(smallText);
});

describe.skipIf(missing)("as the original", () => {
  const asOriginal = async (argv: readonly string[]) => {
    expect(await ours(argv)).toEqual(await originalBeside("hscan", argv));
  };
  const random = (seed: number): Realm => realmOf(randomMessage(seed, "relocate").message.cluster);
  const realms: [string, Realm][] = [
    ["a small cluster", small],
    ["an empty cluster", aRealm()],
    ...[11, 12, 13].map((seed): [string, Realm] => [`random cluster ${seed}`, random(seed)]),
  ];

  test.each(realms)("over the socket, %s", async (_, realm) => {
    const { socket } = await started(startMaster(realm));
    await asOriginal([`-L${socket}`, "-p"]);
    await asOriginal([`-L${socket}`, "--no-headers", "--static-kvm-node-memory=0", "-pname,nmem"]);
  });

  test("over the remote API, several clusters, some of them missing", async () => {
    const [first, second] = await Promise.all([
      started(startRapi(small)),
      started(startRapi(random(21))),
    ]);
    await asOriginal([
      `http://${first.address}`,
      "127.0.0.1:1",
      `http://${second.address}/`,
      "file:///none",
    ]);
  });

  test.each([
    [["-d", "missing", "SERVER"]],
    [["-L/nonexistent/socket"]],
    [["-L/nonexistent/socket", "file:///none"]],
    [["--no-headers", "--output-dir=", "SERVER"]],
    [["-v", "-v", "SERVER"]],
    [["-d"]],
    [["-m", "x"]],
    [["-q"]],
  ])("%j", async (argv) => {
    const address = `http://${(await started(startRapi(small))).address}`;
    const words = argv.map((word) => (word === "SERVER" ? address : word));
    const [our, original] = [
      await ours(words, {
        files: { [`missing/${address.replaceAll("/", "_")}.data`]: { code: "ENOENT" } },
      }),
      await originalBeside("hscan", words),
    ];
    // The usage text goes on with what is ours, a failed connection with what to do about it.
    const isLonger = original.exitCode === 2 || words[0]?.startsWith("-L") === true;
    const first = ({ stderr, ...printed }: Printed) => ({
      ...printed,
      stderr: isLonger ? stderr.split("\n")[0] : stderr,
    });
    expect(first(our)).toEqual(first(original));
  });

  test("a refusal by the master is printed on stdout, and the exit code is 2", async () => {
    const instead = { success: false, result: ["GenericError", ["boom"]] };
    const realm = aRealm({ instead: ({ args }) => (args[0] === "node" ? instead : undefined) });
    const { socket } = await started(startMaster(realm));
    await asOriginal([`-L${socket}`]);
    expect((await ours([`-L${socket}`])).exitCode).toBe(2);
  });
});

test("hscan --json prints all clusters in one document", async () => {
  const files = rapiFiles(small, "folder");
  const { exitCode, stdout, written } = await ours(
    ["--json", "-d", "out", "file://folder", "file://none"],
    { files },
  );
  expect([exitCode, Object.keys(written)]).toEqual([2, ["out/file:__folder.data"]]);
  expect(HscanReport.parse(JSON.parse(stdout))).toEqual({
    clusters: [
      {
        ok: true,
        name: "file://folder",
        file: "out/file:__folder.data",
        nodes: 3,
        instances: 2,
        badNodes: 1,
        badInstances: 1,
        memory: { total: 65536, free: 31100 },
        disk: { total: 3048576.5, free: 1800000 },
        score: expect.closeTo(3.22168485, 7),
      },
      {
        ok: false,
        name: "file://none",
        error: "none/groups.json: openFile: does not exist (No such file or directory)",
      },
    ],
  });
});
