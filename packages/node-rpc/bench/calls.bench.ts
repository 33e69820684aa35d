// Node calls compared with Ganeti's own: our client and Ganeti's against ganeti-noded, then ganeti-noded and our
// server, with simulated nodes behind it, under the same calls. Needs root and Debian's Ganeti: everything runs
// in the network of a bench (`@ganeti-ts/reference`). `--record COMMIT` writes baseline.json.
//
// | column | meaning |
// |---|---|
// | perSecond | calls per second, one after the other; best of three rounds |
// | perSecond8 | the same with eight calls at a time |
// | clientMs, serverMs | processor time per call of each side, when the calls come one after the other |
//
// Each call has a connection of its own, except in the row "kept connection".
import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import type { NodeCallArguments, NodeCallName } from "@ganeti-ts/node-calls";
import {
  clientCertificateFiles,
  createNodeRpcClient,
  createNodeRpcServer,
  serverCertificateFile,
} from "@ganeti-ts/node-rpc";
import { systemClock } from "@ganeti-ts/protocol";
import { bringUp, type ReferenceBench, type ReferenceNode } from "@ganeti-ts/reference";
import { SimulatedNodes } from "@ganeti-ts/simulated-nodes";
import { helpIfAsked, recordIfAsked } from "../../../tooling/bench.js";

helpIfAsked("bench/calls.bench.ts");

const self = process.argv[1] as string;
const round = 100;
const rounds = 3;

/** Figures of one side, as a process inside the bench reports them. */
interface Figures {
  readonly perSecond: number;
  readonly perSecond8?: number;
  readonly clientMs: number;
  readonly serverMs: number;
}

const fake = { name: "fake", hvparams: { migration_mode: "live" } };
const calls: { readonly [name: string]: NodeCallArguments<NodeCallName> } = {
  version: {},
  instance_list: { hypervisors: [fake] },
  node_info: { storage: [], hypervisors: [fake] },
};

// Code that runs inside the bench.

/** Processor time of a process and its ended children, in ms. */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  const [user, system, ofChildren, systemOfChildren] = fields.slice(11, 15).map(Number);
  return ((user ?? 0) + (system ?? 0) + (ofChildren ?? 0) + (systemOfChildren ?? 0)) * 10;
}

/** Measures a function that makes one call; `pid` is the server's. */
async function measured(call: () => Promise<unknown>, pid: number): Promise<Figures> {
  await call();
  const rates: number[] = [];
  const [server, client] = [processorMs(pid), process.cpuUsage()];
  for (let turn = 0; turn < rounds; turn++) {
    const start = performance.now();
    for (let count = 0; count < round; count++) await call();
    rates.push((round / (performance.now() - start)) * 1000);
  }
  const { user, system } = process.cpuUsage(client);
  const made = round * rounds;
  const clientMs = (user + system) / 1000 / made;
  const serverMs = (processorMs(pid) - server) / made;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let count = 0; count < round / 2; count++) await call();
    }),
  );
  const perSecond8 = ((8 * Math.floor(round / 2)) / (performance.now() - start)) * 1000;
  return { perSecond: Math.max(...rates), perSecond8, clientMs, serverMs };
}

interface Target {
  readonly address: string;
  readonly server: string;
  readonly client: string;
  /** Process id of the server inside the bench. */
  readonly pid: number;
}

async function measureClient({ address, server, client, pid }: Target, name: NodeCallName) {
  const certificates = clientCertificateFiles({ cluster: server, client });
  const nodes = createNodeRpcClient({ certificates, virtualPaths: true });
  await nodes.introduce({ uuid: "n", name: "n", primaryIp: address, secondaryIp: address });
  const caller = { lease: "1:1", signal: new AbortController().signal };
  return measured(async () => {
    const answer = await nodes.call("n", name, calls[name] as never, caller);
    // The work happened.
    if (!answer.ok) throw new Error(answer.message);
  }, pid);
}

/** The call `version` on one connection. */
async function measureKept({ address, server, client, pid }: Target) {
  const [ca, pem] = [readFileSync(server, "utf8"), readFileSync(client, "utf8")];
  const agent = new Agent({
    ...{ keepAlive: true, maxSockets: 8, ca, cert: pem, key: pem },
    checkServerIdentity: () => undefined,
  });
  const call = () =>
    new Promise<void>((resolve, reject) => {
      const to = { host: address, port: 1811, method: "POST", path: "/version", agent };
      const sent = request(to, (response) => {
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
        response.resume().on("end", resolve);
      });
      sent.on("error", reject).end("[]");
    });
  const figures = await measured(call, pid);
  agent.destroy();
  return figures;
}

/** Serves until the process is ended; prints its process id. */
async function serveSimulated({ address, server, client }: Omit<Target, "pid">) {
  const nodes = await SimulatedNodes.open({ clock: systemClock, hosts: [{ name: "n" }] });
  await nodes.introduce({ uuid: "n", name: "n", primaryIp: address, secondaryIp: address });
  const digest = new X509Certificate(readFileSync(client)).fingerprint;
  await createNodeRpcServer({
    certificates: serverCertificateFile(server),
    acceptedDigests: () => [digest],
    ...{ nodes, node: "n", lease: "1:1", host: address, virtualPaths: true },
  });
  console.log(process.pid);
}

// Code that runs outside of the bench.

const original = `
import json, resource, sys, time
from ganeti.rpc import node as rpc
rpc.Init()
runner = rpc.BootstrapRunner()
name, pid, size, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
def call():
  assert runner.call_version([name])[name].payload == 3000000
def server():
  fields = open("/proc/%s/stat" % pid).read().split(") ")[1].split()
  return sum(int(field) for field in fields[11:15]) * 10
def client():
  usage = resource.getrusage(resource.RUSAGE_SELF)
  return (usage.ru_utime + usage.ru_stime) * 1000
call()
before, began, rates = server(), client(), []
for _ in range(rounds):
  start = time.monotonic()
  for _ in range(size):
    call()
  rates.append(size / (time.monotonic() - start))
made = size * rounds
print(json.dumps({"perSecond": max(rates), "clientMs": (client() - began) / made,
                  "serverMs": (server() - before) / made}))
`;

const rounded = ({ perSecond, perSecond8, clientMs, serverMs }: Figures) => ({
  perSecond: Number(perSecond.toPrecision(3)),
  ...(perSecond8 !== undefined && { perSecond8: Number(perSecond8.toPrecision(3)) }),
  clientMs: Number(clientMs.toPrecision(2)),
  serverMs: Number(serverMs.toPrecision(2)),
});

async function measureAll(bench: ReferenceBench) {
  await bench.stopMaster();
  const [, two, three] = bench.nodes;
  if (two === undefined || three === undefined) throw new Error("needs three nodes");
  const pidOf = ({ runFolder }: ReferenceNode) =>
    Number(readFileSync(`${runFolder}/ganeti-noded.pid`, "utf8"));
  const { serverPem: server, clientPem: client } = bench.master;
  const inside = async (mode: string, target: object, name = "") => {
    const options = JSON.stringify({ server, client, ...target });
    return rounded(
      JSON.parse((await bench.exec(process.execPath, [self, mode, options, name])).stdout),
    );
  };
  const figures: { [row: string]: ReturnType<typeof rounded> } = {};
  const daemon = { address: two.address, pid: pidOf(two) };
  const options = [two.name, String(daemon.pid), String(round), String(rounds)];
  const environment = { PYTHONPATH: "/usr/share/ganeti/3.0" };
  const python = ["-c", original, ...options];
  const { stdout } = await bench.exec("/usr/bin/python3", python, { environment });
  figures["ganeti's client, ganeti-noded, version"] = rounded(JSON.parse(stdout));
  for (const name of Object.keys(calls)) {
    figures[`our client, ganeti-noded, ${name}`] = await inside("--call", daemon, name);
  }
  await bench.stopDaemon(three, "ganeti-noded");
  const serving = bench.spawn(process.execPath, [
    ...[self, "--serve", JSON.stringify({ server, client, address: three.address })],
  ]);
  const pid = await new Promise<number>((resolve, reject) => {
    serving.stdout?.once("data", (text: Buffer) => resolve(Number(text)));
    serving.stderr?.once("data", (text: Buffer) => reject(new Error(String(text))));
  });
  const ours = { address: three.address, pid };
  const again = [three.name, String(pid), String(round), String(rounds)];
  const { stdout: byOriginal } = await bench.exec("/usr/bin/python3", ["-c", original, ...again], {
    environment,
  });
  figures["ganeti's client, our server, version"] = rounded(JSON.parse(byOriginal));
  for (const name of Object.keys(calls)) {
    figures[`our client, our server, ${name}`] = await inside("--call", ours, name);
  }
  figures["our server, version, kept connection"] = await inside("--kept", ours);
  serving.kill();
  return figures;
}

const mode = process.argv[2];
if (mode === "--call" || mode === "--kept" || mode === "--serve") {
  const target = JSON.parse(process.argv[3] ?? "") as Target;
  if (mode === "--serve") await serveSimulated(target);
  else {
    const name = process.argv[4] as NodeCallName;
    const figures = mode === "--call" ? measureClient(target, name) : measureKept(target);
    console.log(JSON.stringify(await figures));
    process.exit(0);
  }
} else {
  if (execFileSync("id", ["-u"]).toString().trim() !== "0") throw new Error("needs root");
  const bench = await bringUp({ populated: false, say: console.error });
  try {
    const figures = await measureAll(bench);
    console.table(figures);
    recordIfAsked("bench/baseline.json", { figures });
  } finally {
    await bench.down();
  }
}
