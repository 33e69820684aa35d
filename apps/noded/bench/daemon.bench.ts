// The daemon beside Ganeti's, in one run: both answer the same calls on a bench (`@ganeti-ts/reference`), one after the other
// at the same address. Needs root and Debian's Ganeti, and a build. `--record COMMIT` writes baseline.json.
//
// | column | meaning |
// |---|---|
// | perSecond | calls per second, one after the other; best of three rounds of 300, after 300 to warm up |
// | serverMs | processor time per call of the daemon and its programs: it does not depend on other load |
// | residentMib | resident memory of the daemon after the calls |
//
// Each call has a connection of its own, but in the rows "kept".
import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { join } from "node:path";
import { bringUp, type ReferenceBench, replaceNodeDaemon } from "@ganeti-ts/reference";
import { helpIfAsked, recordIfAsked } from "../../../tooling/bench.js";

helpIfAsked("bench/daemon.bench.ts");

const self = process.argv[1] as string;
const [warmUp, round, rounds] = [300, 300, 3];
const fake = ["fake", { migration_mode: "live" }];
const bodies: { readonly [name: string]: unknown } = {
  version: [],
  instance_list: [["fake"], { fake: fake[1] }],
  node_info: [[], [fake]],
};

interface Figures {
  readonly perSecond: number;
  readonly serverMs: number;
}

// Inside the bench.

/** Processor time of a process and its ended children, in ms. */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field) * 10, 0);
}

interface Target {
  readonly address: string;
  readonly server: string;
  readonly client: string;
  readonly pid: number;
}

async function measured(target: Target, name: string, isKept: boolean): Promise<Figures> {
  const [ca, pem] = [readFileSync(target.server, "utf8"), readFileSync(target.client, "utf8")];
  const agent = new Agent({
    ...{ keepAlive: isKept, maxSockets: 1, ca, cert: pem, key: pem, maxVersion: "TLSv1.2" },
    // Each new connection with a whole handshake, as Ganeti's callers make it.
    maxCachedSessions: 0,
    checkServerIdentity: () => undefined,
  });
  const body = JSON.stringify(bodies[name]);
  const call = () =>
    new Promise<void>((resolve, reject) => {
      const to = { host: target.address, port: 1811, method: "POST", path: `/${name}`, agent };
      const sent = request(to, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part) => {
          text += part;
        });
        // The work happened.
        response.on("end", () => (text.startsWith("[true") ? resolve() : reject(new Error(text))));
      });
      sent.on("error", reject).end(body);
    });
  for (let count = 0; count < warmUp; count++) await call();
  const rates: number[] = [];
  const before = processorMs(target.pid);
  for (let turn = 0; turn < rounds; turn++) {
    const start = performance.now();
    for (let count = 0; count < round; count++) await call();
    rates.push((round / (performance.now() - start)) * 1000);
  }
  agent.destroy();
  return {
    perSecond: Number(Math.max(...rates).toPrecision(3)),
    serverMs: Number(((processorMs(target.pid) - before) / (round * rounds)).toPrecision(2)),
  };
}

// Outside.

async function measureDaemon(bench: ReferenceBench, pidFile: string, withKept: boolean) {
  const [, node] = bench.nodes;
  if (node === undefined) throw new Error("no second node");
  const pid = Number(readFileSync(join(node.runFolder, pidFile), "utf8"));
  const target = { address: node.address, server: node.serverPem, client: bench.master.clientPem };
  const run = async (name: string, isKept: boolean): Promise<Figures> => {
    const words = [self, "--inside", JSON.stringify({ ...target, pid }), name, String(isKept)];
    return JSON.parse((await bench.exec(process.execPath, words, { node })).stdout);
  };
  const rows: Record<string, Figures> = {};
  for (const name of Object.keys(bodies)) {
    rows[name] = await run(name, false);
    if (withKept) rows[`${name}, kept`] = await run(name, true);
  }
  const status = (await bench.exec("cat", [`/proc/${pid}/status`], { node })).stdout;
  const residentMib = Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
  return { rows, residentMib };
}

async function main(): Promise<void> {
  const bench = await bringUp({});
  try {
    const [, node] = bench.nodes;
    if (node === undefined) throw new Error("no second node");
    const ganeti = await measureDaemon(bench, "ganeti-noded.pid", false);
    const program = join(import.meta.dirname, "../../dist/ganeti-ts-noded.js");
    await replaceNodeDaemon(bench, node, program, {
      isDebug: false,
      // As in the first line of the program.
      nodeOptions: ["--max-semi-space-size=1"],
    });
    const ours = await measureDaemon(bench, "ganeti-ts-noded.pid", true);
    const table = Object.fromEntries(
      Object.entries(ours.rows).map(([name, own]) => {
        const other = ganeti.rows[name.replace(", kept", "")] as Figures;
        const times = Number((own.perSecond / other.perSecond).toFixed(1));
        const share = Number((own.serverMs / other.serverMs).toFixed(3));
        return [name, { ganeti: other, ours: own, times, processorShare: share }];
      }),
    );
    const resident = { ganeti: ganeti.residentMib, ours: ours.residentMib };
    console.log(JSON.stringify({ ...table, residentMib: resident }, null, 2));
    recordIfAsked("bench/baseline.json", { ...table, residentMib: resident });
  } finally {
    await bench.down();
  }
}

if (process.argv[2] === "--inside") {
  const [target = "", name = "", isKept] = process.argv.slice(3);
  console.log(JSON.stringify(await measured(JSON.parse(target), name, isKept === "true")));
} else {
  await main();
}
