// Ganeti's own confd client, unmodified, asks our server's listener.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { createConfdKey, readConfdKey } from "@ganeti-ts/confd";
import { packagesFolder } from "@ganeti-ts/reference";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withInstances } from "./instances.js";
import { type DaemonOfNode, daemonOfNode } from "./real/daemon-of-node.js";
import { aServer, type TestServer } from "./served.js";

const packages = existsSync("/usr/share/ganeti/3.0/ganeti") ? "" : packagesFolder();
const pythonFolder = `${packages}/usr/share/ganeti/3.0`;
const isThere = existsSync(join(pythonFolder, "ganeti/confd/client.py"));
const problem = isThere
  ? undefined
  : "Debian's Ganeti 3.0.2 is not there; unpack it with: pnpm reference install";
if (problem !== undefined) console.warn(`SKIPPED: Ganeti's confd client: ${problem}`);

/** Asks each query with the original's client and filter callback, and prints the replies. */
const program = `
import json, sys
from ganeti.confd import client
key, port, queries = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
replies = {}
def received(up):
  if up.type == client.UPCALL_REPLY:
    reply = up.server_reply
    replies[up.extra_args] = [reply.status, reply.answer, reply.serial]
callback = client.ConfdFilterCallback(received)
asking = client.ConfdClient(open(key).read(), ["127.0.0.1"], callback, port=port)
for at, (kind, query) in enumerate(queries):
  request = client.ConfdClientRequest(type=kind, query=query)
  asking.SendRequest(request, args=at, async_=False)
  asking.WaitForReply(request.rsalt, timeout=3)
print(json.dumps([replies.get(at) for at in range(len(queries))]))
`;

type Reply = readonly [status: number, answer: unknown, serial: number] | null;

describe.skipIf(problem !== undefined)("Ganeti's confd client on our listener", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await aServer("--confd", "--confd-port=0", "--nodes=2", "--groups=1");
    await withInstances(server, [{ instance_name: "web.example.com" }]);
  });
  afterAll(() => server.end());

  async function ask(
    queries: readonly (readonly [number, unknown])[],
    keyFile = server.directory.confdKey,
    listener = server.world.confd.bound()?.port,
  ): Promise<readonly Reply[]> {
    const port = String(listener);
    const { stdout } = await promisify(execFile)(
      "/usr/bin/python3",
      ["-c", program, keyFile, port, JSON.stringify(queries)],
      {
        env: {
          PATH: process.env.PATH,
          PYTHONPATH: `${pythonFolder}:${packages}/usr/lib/python3/dist-packages`,
        },
      },
    );
    return JSON.parse(stdout) as Reply[];
  }

  test("each query type that it can send is answered from the cluster", async () => {
    const now = server.cluster.snapshot();
    const { serial_no: serial } = now.cluster;
    const web = now.expectInstance("web.example.com");
    const replies = await ask([
      [0, null],
      [1, "node1.example.com"],
      [1, "node2.example.com"],
      [2, { "1": "203.0.113.9" }],
      [3, null],
      [3, { "3": [0, 1, 2] }],
      [4, null],
      [5, null],
      [6, null],
      [7, "node1.example.com"],
      [9, web.uuid],
    ]);
    expect(replies.slice(0, 9)).toEqual([
      [0, 3_000_000, 0],
      [0, 0, serial],
      [0, 1, serial],
      [1, 0, 0],
      [0, "node1.example.com", serial],
      [0, ["node1.example.com", now.cluster.master_ip, "192.0.2.1"], serial],
      [0, expect.arrayContaining(["192.0.2.1", "192.0.2.2"]), serial],
      [0, expect.arrayContaining(["192.0.2.1", "192.0.2.2"]), serial],
      [0, [], serial],
    ]);
    const own = now.expectNode("node1.example.com");
    const role = web.primary_node === own.uuid ? "primary" : "secondary";
    expect(replies[9]).toEqual([
      0,
      [["node1.example.com", 0, "web.example.com", "disk/0", role, "node2.example.com"]],
      own.serial_no,
    ]);
    expect(replies[10]).toMatchObject([0, [{ uuid: web.disks[0] }], web.serial_no]);
  });

  describe("on the copy of a node", () => {
    let node: DaemonOfNode;
    beforeAll(async () => {
      node = await daemonOfNode("node2.example.com", await readConfdKey(server.directory.confdKey));
      await node.distribute(server.cluster.snapshot(), []);
    });
    afterAll(() => node.end());

    test("each query from 0 to 9 has the answer that the server gives", async () => {
      const { uuid } = server.cluster.snapshot().expectInstance("web.example.com");
      const types = Array.from({ length: 10 }, (_, type) => type).filter((type) => type !== 8);
      const arguments_ = [null, "node1.example.com", "node2.example.com", "missing", uuid];
      const queries: [number, unknown][] = types.flatMap((type) =>
        arguments_.map((query): [number, unknown] => [type, query]),
      );
      queries.push([2, { "1": "203.0.113.9" }], [2, { "2": ["203.0.113.9"] }], [3, { "3": [0] }]);
      const ofServer = await ask(queries);
      let ofNode: readonly Reply[] = [];
      while (ofNode[0] == null) {
        ofNode = await ask(queries, server.directory.confdKey, node.confdPort);
      }
      expect(ofNode).toEqual(ofServer);
      expect(ofNode.filter((reply) => reply?.[0] === 0).length).toBeGreaterThan(20);
    });
  });

  test("with another key it gets no answer", async () => {
    const other = `${server.directory.path}/other.key`;
    await createConfdKey(other);
    expect(await ask([[0, null]], other)).toEqual([null]);
  });
});
