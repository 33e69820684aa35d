// Clusters over the remote API (-m) and over a master's socket (-L), as Ganeti's programs read them.
import { createServer } from "node:http";
import { randomMessage } from "@ganeti-ts/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { hinfo } from "../src/hinfo/program.js";
import { runIn } from "./fake-ports.js";
import {
  type HttpServer,
  originalBeside,
  rapiFiles,
  realmOf,
  startHttp,
  startRapi,
} from "./masters.js";
import {
  aRealm,
  type Call,
  type Master,
  type Realm,
  realmInstance,
  startMaster,
} from "./mock-master.js";
import { type Printed, whatIsMissing } from "./original.js";

const missing = whatIsMissing("hinfo");
if (missing) console.warn(`\n*** SKIPPED: -m and -L are not compared with hinfo: ${missing} ***\n`);

const open: (Master | HttpServer)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function master(realm: Realm): Promise<Master> {
  const started = await startMaster(realm);
  open.push(started);
  return started;
}

async function web(server: Promise<HttpServer>): Promise<HttpServer> {
  open.push(await server);
  return await server;
}

async function ours(argv: string[], files: Record<string, string> = {}): Promise<Printed> {
  const { exitCode, stdout, stderr, written } = await runIn(hinfo, { files }, ...argv);
  return { exitCode, stdout, stderr, written };
}

const realms: [seed: number, realm: Realm][] = [];
for (let seed = 1; realms.length < 4; seed++) {
  realms.push([seed, realmOf(randomMessage(seed, "relocate").message.cluster)]);
}

describe.skipIf(missing)("random clusters are the same as hinfo's", () => {
  test.each(realms)("over the socket, seed %i", async (_, realm) => {
    const { socket } = await master(realm);
    const argv = [`-L${socket}`, "-p", "--print-instances", "-vvv"];
    expect(await ours(argv)).toEqual(await originalBeside("hinfo", argv));
  });

  test.each(realms)("over the remote API, seed %i", async (_, realm) => {
    const { address, asked } = await web(startRapi(realm));
    const argv = ["-m", `http://${address}`, "-p", "--print-instances", "-vvv"];
    expect(await ours(argv)).toEqual(await originalBeside("hinfo", argv));
    expect(asked.slice(4)).toEqual(asked.slice(0, 4));
  });
});

describe("over the socket", () => {
  test("the four calls of Ganeti's programs are made, in their order", async () => {
    const { socket, calls } = await master(aRealm());
    expect((await ours([`-L${socket}`])).exitCode).toBe(0);
    const said = ({ method, args }: Call) => [method, args[0], (args[1] as unknown[])?.length];
    expect(calls.map(said)).toEqual([
      ["Query", "node", 18],
      ["Query", "instance", 14],
      ["QueryClusterInfo", undefined, undefined],
      ["Query", "group", 5],
    ]);
  });

  test("a large answer may arrive in many pieces", async () => {
    const instances = Array.from({ length: 500 }, (_, at) =>
      realmInstance(`inst${at}`, ["node1", "node2"]),
    );
    const { socket } = await master(aRealm({ instances }));
    expect((await ours([`-L${socket}`])).stdout).toContain("Loaded 3 nodes, 500 instances");
  });

  const group = (instead: { success: boolean; result: unknown } | string): Realm =>
    aRealm({ instead: ({ args }) => (args[0] === "group" ? instead : undefined) });

  // Recorded from Ganeti 3.0.2.
  test.each<[string, Realm, string]>([
    [
      "refuses",
      group({ success: false, result: ["GenericError", ["boom"]] }),
      "Unhandled Ganeti error: boom",
    ],
    ["ends the connection", group("close"), "<socket: 3>: hWaitForInput: end of file"],
  ])("a master that %s is told", async (_, realm, text) => {
    const { socket } = await master(realm);
    const stderr = `Error: failed to load data, aborting: ${text}\n`;
    expect(await ours([`-L${socket}`])).toEqual({ exitCode: 1, stdout: "", stderr, written: {} });
    if (!missing) expect((await originalBeside("hinfo", [`-L${socket}`])).stderr).toBe(stderr);
  });

  test.each([
    ["/nonexistent/socket", "does not exist (No such file or directory)"],
    ["/dev/null", "does not exist (Connection refused)"],
  ])("nobody at %s is told", async (path, text) => {
    const stderr = `Error: failed to load data, aborting: Network.Socket.connect: <socket: 3>: ${text}\n`;
    const [line, advice] = (await ours([`-L${path}`])).stderr.split(/(?<=\n)/);
    expect(line).toBe(stderr);
    expect(advice).toBe(
      `Nobody listens on ${path}. Start the server, name another one's data directory with ` +
        "--data-dir or GANETI_TS_DATA, or its socket with -L/PATH.\n",
    );
    if (!missing) expect((await originalBeside("hinfo", [`-L${path}`])).stderr).toBe(stderr);
  });
});

describe("over the remote API", () => {
  test("four files replace the remote API", async () => {
    const realm = aRealm({ instances: [realmInstance("web", ["node1", "node2"])] });
    const files = rapiFiles(realm, "folder");
    const { exitCode, stdout } = await ours(["-m", "file://folder"], files);
    expect([exitCode, stdout.split("\n")[1]]).toEqual([
      0,
      "Loaded 3 nodes, 1 instance, 1 node group",
    ]);
    const { "folder/nodes.json": _, ...others } = files;
    expect((await ours(["-m", "file://folder"], others)).stderr).toBe(
      "Error: failed to load data, aborting: folder/nodes.json: openFile: does not exist (No such file or directory)\n",
    );
  });

  test("a host alone means HTTPS on Ganeti's port", async () => {
    const stderr =
      "Error: failed to load data, aborting: Curl error for 'https://no-such-host.invalid:5080/2/groups?bulk=1', error CurlCouldntResolveHost\n";
    expect((await ours(["-m", "no-such-host.invalid"])).stderr).toBe(stderr);
  });

  const reachable = aRealm();

  test("an address without a scheme means HTTPS where the server speaks it", async () => {
    const { address, asked } = await web(startRapi(reachable, { secure: true }));
    const { exitCode, stdout, stderr } = await ours(["-m", `jack:secret@${address}`]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("Loaded 3 nodes, 0 instances, 1 node group");
    expect(stderr).not.toContain("Note:");
    expect(asked).toHaveLength(4);
  });

  test("an address without a scheme means HTTP, and a note, where the server has no TLS", async () => {
    const { address, asked } = await web(startRapi(reachable));
    const { exitCode, stderr } = await ours(["-m", address]);
    expect(exitCode).toBe(0);
    expect(stderr.split("\n")[0]).toBe(
      `Note: ${address} does not speak TLS, using http. Name it http://${address} to choose that.`,
    );
    expect(asked).toHaveLength(4);
  });

  test("user and password in the address are sent", async () => {
    const answered: (string | undefined)[] = [];
    const server = await web(
      startHttp((request, response) => {
        answered.push(request.headers.authorization);
        response.writeHead(401).end("{}");
      }),
    );
    const { stderr } = await ours(["-m", `http://jack:secret@${server.address}`]);
    expect(answered).toEqual(
      Array(4).fill(`Basic ${Buffer.from("jack:secret").toString("base64")}`),
    );
    expect(stderr).toContain("error CurlHttpReturnedError");
  });

  type Misbehaviour = Parameters<typeof startHttp>[0];
  const misbehaviours: [string, Misbehaviour, string][] = [
    ["500", (_, response) => response.writeHead(500).end(), "CurlHttpReturnedError"],
    ["nothing", (request) => request.socket.destroy(), "CurlGotNothing"],
    ["a reset connection", (request) => request.socket.resetAndDestroy(), "CurlRecvError"],
    ["no HTTP", (request) => request.socket.end("hello\r\n\r\n"), "CurlUnspportedProtocol"],
    [
      "half an answer",
      (request, response) => {
        response.writeHead(200, { "content-length": 100 }).write("[");
        setTimeout(() => request.socket.destroy(), 20);
      },
      "CurlPartialFile",
    ],
  ];
  // Recorded from Ganeti 3.0.2.
  test.each(misbehaviours)(
    "a server that answers %s causes an error message",
    async (_, respond, curl) => {
      const { address } = await web(startHttp(respond));
      const url = `http://${address}/2/groups?bulk=1`;
      const stderr = `Error: failed to load data, aborting: Curl error for '${url}', error ${curl}\n`;
      const argv = ["-m", `http://${address}`];
      expect((await ours(argv)).stderr).toBe(stderr);
      if (!missing) expect((await originalBeside("hinfo", argv)).stderr).toBe(stderr);
    },
  );

  test.each([
    ["127.0.0.1:1", "CurlCouldntConnect"],
    ["foo://bar", "CurlUnspportedProtocol"],
    ["http://x y:1", "CurlUrlMalformat"],
    ["https://127.0.0.1:99999", "CurlUrlMalformat"],
  ])("%s is %s", async (address, curl) => {
    const url = `${address}/2/groups?bulk=1`;
    const stderr = `Error: failed to load data, aborting: Curl error for '${url}', error ${curl}\n`;
    expect((await ours(["-m", address])).stderr).toBe(stderr);
    if (!missing) expect((await originalBeside("hinfo", ["-m", address])).stderr).toBe(stderr);
  });

  test("a server without TLS causes an error message for an https address", async () => {
    const server = createServer((_, response) => response.end("[]"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const { stderr } = await ours(["-m", `https://127.0.0.1:${port}`]);
    server.close();
    expect(stderr).toContain("error CurlSSLConnectError");
  });
});
