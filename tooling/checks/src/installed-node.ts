// The node daemon as it is installed: started on a machine in a folder, and called by the installed client.
import { spawn } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { mustPass, run } from "./repository.js";

export interface ServedNode {
  /** The answer to a call of the node protocol. */
  ask(call: string, args: object): unknown;
  stop(): Promise<void>;
}

/** Starts the node daemon that is installed in `sandbox`; the paths of its machine lie below `machine`. */
export async function serveNode(sandbox: string, machine: string): Promise<ServedNode> {
  const data = join(machine, "var/lib/ganeti");
  mkdirSync(data, { recursive: true });
  mkdirSync(join(machine, "srv/ganeti"), { recursive: true });
  // Definitions of the package are searched on real machines only.
  const installed = join(sandbox, "node_modules/@ganeti-ts/noded/dist/os-definitions");
  symlinkSync(installed, join(machine, "srv/ganeti/os"));
  const pem = join(data, "server.pem");
  const files = ["-keyout", pem, "-out", `${pem}.new`];
  const words = [
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-subj",
    "/CN=ganeti.example.com",
  ];
  mustPass(run("openssl", [...words, ...files], machine));
  writeFileSync(pem, readFileSync(`${pem}.new`), { flag: "a" });
  const { fingerprint } = new X509Certificate(readFileSync(pem));
  writeFileSync(join(data, "ssconf_master_candidates_certs"), `uuid-1=${fingerprint}\n`);
  writeFileSync(join(data, "ssconf_master_node"), "node1.example.com\n");

  const program = join(sandbox, "node_modules/.bin/ganeti-ts-noded");
  const where = [
    `--root=${machine}`,
    "--node-name=node1.example.com",
    "-b",
    "127.0.0.1",
    "-p",
    "0",
  ];
  const daemon = spawn(program, where, { stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise<void>((resolve) => daemon.once("exit", () => resolve()));
  const said: string[] = [];
  for await (const line of createInterface({ input: daemon.stderr })) {
    said.push(line);
    const port = /listening on [^ ]*:(\d+) /.exec(line)?.[1];
    if (port === undefined) continue;
    daemon.stderr.resume();
    const script = join(sandbox, "ask-node.mjs");
    writeFileSync(script, clientText);
    return {
      ask: (call, args) => {
        const asked = [script, pem, port, call, JSON.stringify(args)];
        return JSON.parse(mustPass(run(process.execPath, asked, sandbox)).stdout);
      },
      async stop() {
        daemon.kill();
        await ended;
      },
    };
  }
  throw new Error(`the daemon ended: ${said.join("\n")}`);
}

const clientText = `
import { readFileSync } from "node:fs";
import { createNodeRpcClient } from "@ganeti-ts/node-rpc";
const [file, port, call, args] = process.argv.slice(2);
const pem = readFileSync(file, "utf8");
const certificates = { clusterCertificate: pem, clientCertificate: pem, clientKey: pem };
const client = createNodeRpcClient({ ...certificates, port: Number(port) });
const ip = "127.0.0.1";
await client.introduce({ uuid: "uuid-1", name: "node1", primaryIp: ip, secondaryIp: ip });
const caller = { lease: "1:1", signal: new AbortController().signal };
console.log(JSON.stringify(await client.call("uuid-1", call, JSON.parse(args), caller)));
`;
