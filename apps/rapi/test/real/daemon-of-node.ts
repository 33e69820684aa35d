/** A node daemon as it ships, with a folder as its machine, and the calls of its master. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ganetiFile, type Snapshot, ssconfValues } from "@ganeti-ts/config";
import { digestOf, newClusterPem, newNodePem } from "@ganeti-ts/machines";
import type { NodeCallArguments, NodeCallName } from "@ganeti-ts/node-calls";
import { createNodeRpcClient } from "@ganeti-ts/node-rpc";
import type { FilterRule } from "@ganeti-ts/protocol";

const noded = join(import.meta.dirname, "../../../noded");
const uuid = "11111111-1111-4111-8111-111111111111";
const caller = { lease: "1:1", signal: new AbortController().signal };

export interface DaemonOfNode {
  /** Its folder for the files of the cluster. */
  readonly data: string;
  /** Where it answers configuration queries. */
  readonly confdPort: number;
  readonly log: readonly string[];
  /** @throws Error for a failed call */
  call<Name extends NodeCallName>(name: Name, args: NodeCallArguments<Name>): Promise<void>;
  /** Sends the copies of a configuration as the master does: the file to candidates, the single values to all. */
  distribute(now: Snapshot, filters: readonly FilterRule[]): Promise<void>;
  end(): Promise<void>;
}

/** A UDP port that is free now. */
async function freeUdpPort(): Promise<number> {
  const socket = createSocket("udp4");
  await new Promise<void>((resolve) => void socket.bind(0, "127.0.0.1", resolve));
  const { port } = socket.address();
  await new Promise<void>((resolve) => void socket.close(() => resolve()));
  return port;
}

/** Builds and starts the daemon; it knows its caller's certificate and the key, and no configuration. */
export async function daemonOfNode(nodeName: string, key: Uint8Array): Promise<DaemonOfNode> {
  const folder = mkdtempSync(join(tmpdir(), "daemon-of-node-"));
  const program = join(folder, "program");
  execFileSync(process.execPath, ["build.js", program], { cwd: noded });
  const root = join(folder, "root");
  const data = join(root, "var/lib/ganeti");
  for (const path of [data, ...["run", "log", "lock"].map((name) => join(root, "var", name))]) {
    mkdirSync(path, { recursive: true });
  }
  const now = Date.now();
  const server = await newClusterPem(now);
  const pem = await newNodePem(server, nodeName, now);
  const certs = `${uuid}=${digestOf(pem)}\n`;
  writeFileSync(join(data, "server.pem"), server);
  writeFileSync(join(data, "hmac.key"), key);
  writeFileSync(join(data, "ssconf_master_candidates_certs"), certs);
  const confdPort = await freeUdpPort();
  const words = [`--root=${root}`, `--node-name=${nodeName}`, "-b", "127.0.0.1", "-p", "0"];
  const daemon = spawn(
    process.execPath,
    [join(program, "ganeti-ts-noded.js"), ...words, `--confd-port=${confdPort}`],
    { stdio: ["ignore", "inherit", "pipe"] },
  );
  const log: string[] = [];
  const port = await listeningPort(daemon, log);
  const client = createNodeRpcClient({
    ...{ clusterCertificate: server, clientCertificate: pem, clientKey: pem, port },
  });
  const ip = "127.0.0.1";
  await client.introduce({ uuid, name: nodeName, primaryIp: ip, secondaryIp: ip });
  const call: DaemonOfNode["call"] = async (name, args) => {
    const answer = await client.call(uuid, name, args, caller);
    if (!answer.ok) throw new Error(`${name}: ${JSON.stringify(answer)}`);
  };
  return {
    ...{ data, confdPort, log, call },
    async distribute(snapshot, filters) {
      const values = { ...ssconfValues(snapshot), master_candidates_certs: certs };
      await call("write_ssconf_files", { values });
      if (snapshot.findNode(nodeName)?.master_candidate !== true) return;
      const content = ganetiFile(snapshot.content(), filters).text;
      const [owner, group] = ["root", "root"];
      const stamps = { accessedAt: now / 1000, modifiedAt: now / 1000 };
      const path = "/var/lib/ganeti/config.data";
      await call("upload_file", { path, content, mode: 0o640, owner, group, ...stamps });
    },
    async end() {
      const ended = new Promise((resolve) => daemon.once("close", resolve));
      daemon.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

async function listeningPort({ stderr }: ChildProcess, log: string[]): Promise<number> {
  if (stderr === null) throw new Error("its log is read");
  const lines = createInterface({ input: stderr });
  return new Promise((resolve, reject) => {
    lines.on("line", (line) => {
      log.push(line);
      const port = /listening on 127\.0\.0\.1:(\d+)/.exec(line)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
    lines.once("close", () => reject(new Error(log.join("\n"))));
  });
}
