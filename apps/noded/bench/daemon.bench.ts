// Benchmark of the daemon against Ganeti's: both answer the same calls in turns on a bench (`@ganeti-ts/reference`), each on
// its own node. Needs root, Debian's Ganeti and QEMU, and a build. `--record COMMIT` writes baseline.json.
//
// | column | meaning |
// |---|---|
// | perSecond | calls per second, one after the other; best of the rounds |
// | serverMs | processor time per call of the daemon and its programs, which depends little on other load; least of the rounds |
// | startMs | time from `instance_start` to its answer, when the guest runs: an emulated instance with a disk and a NIC |
// | residentMib | resident memory of the daemon after the calls |
//
// Each call has a connection of its own, except in the rows "kept".
import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { join } from "node:path";
import { createSecureContext } from "node:tls";
import { anInstance } from "@ganeti-ts/node-calls/conformance";
import {
  bringUp,
  type ReferenceBench,
  type ReferenceNode,
  replaceNodeDaemon,
} from "@ganeti-ts/reference";
import { helpIfAsked, recordIfAsked } from "../../../tooling/bench.js";
import {
  aDisk,
  aNic,
  called,
  kvmParameters,
  shutDown,
  start,
} from "../test/ganeti/kvm-on-bench.js";

helpIfAsked("bench/daemon.bench.ts");

const self = process.argv[1] as string;
const [warmUp, round, rounds] = [20, 300, 3];
const starts = 6;
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

// Code that runs inside the bench.

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
  // One context for all connections, as masters have: parsing the texts for each would take as long as Ganeti's daemon does.
  const secureContext = createSecureContext({ ca, cert: pem, key: pem, maxVersion: "TLSv1.2" });
  const agent = new Agent({
    ...{ keepAlive: isKept, maxSockets: 1, secureContext },
    // Each new connection makes a full handshake, as Ganeti's callers do.
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
  const before = processorMs(target.pid);
  const begun = performance.now();
  for (let count = 0; count < round; count++) await call();
  const elapsedMs = performance.now() - begun;
  agent.destroy();
  return {
    perSecond: Number(((round / elapsedMs) * 1000).toPrecision(3)),
    serverMs: Number(((processorMs(target.pid) - before) / round).toPrecision(2)),
  };
}

// Code that runs outside of the bench.

interface Measured {
  readonly node: ReferenceNode;
  readonly target: Target;
}

function measuredNode(bench: ReferenceBench, node: ReferenceNode, pidFile: string): Measured {
  const pid = Number(readFileSync(join(node.runFolder, pidFile), "utf8"));
  const { address, serverPem: server } = node;
  return { node, target: { address, server, client: bench.master.clientPem, pid } };
}

/** Best figures of several rounds of a call. */
class Best {
  #perSecond = 0;
  #serverMs = Number.POSITIVE_INFINITY;

  add({ perSecond, serverMs }: Figures): void {
    this.#perSecond = Math.max(this.#perSecond, perSecond);
    this.#serverMs = Math.min(this.#serverMs, serverMs);
  }

  get figures(): Figures {
    return { perSecond: this.#perSecond, serverMs: this.#serverMs };
  }
}

async function callFigures(bench: ReferenceBench, ganeti: Measured, ours: Measured) {
  const run = async ({ node, target }: Measured, name: string, isKept: boolean) => {
    const words = [self, "--inside", JSON.stringify(target), name, String(isKept)];
    return JSON.parse((await bench.exec(process.execPath, words, { node })).stdout) as Figures;
  };
  // Warm-up: the engine compiles the daemon's code while it runs.
  for (const name of Object.keys(bodies)) await run(ours, name, false);
  const table: Record<string, object> = {};
  for (const name of Object.keys(bodies)) {
    const [theirs, own, kept] = [new Best(), new Best(), new Best()];
    for (let turn = 0; turn < rounds; turn++) {
      theirs.add(await run(ganeti, name, false));
      own.add(await run(ours, name, false));
      kept.add(await run(ours, name, true));
    }
    table[name] = besides(theirs.figures, own.figures);
    table[`${name}, kept`] = besides(theirs.figures, kept.figures);
  }
  return table;
}

const besides = (ganeti: Figures, ours: Figures) => ({
  ganeti,
  ours,
  times: Number((ours.perSecond / ganeti.perSecond).toFixed(1)),
  processorShare: Number((ours.serverMs / ganeti.serverMs).toFixed(3)),
});

/** Starts the same instance on both nodes in turns; each node has its own file as the disk. */
async function startFigures(bench: ReferenceBench, ganeti: Measured, ours: Measured) {
  const hvparams = await kvmParameters(bench);
  const sides = await Promise.all(
    [ganeti, ours].map(async ({ node }, at) => ({
      node,
      instance: anInstance({
        ...{ uuid: `0f0e0d0c-0000-4000-8000-00000000000${at}`, name: `start${at}.example.com` },
        ...{ hypervisor: "kvm", hvparams },
        beparams: { minmem: 128, maxmem: 128, vcpus: 1 },
        disks: [await aDisk(bench, `start${at}`, at)],
        nics: [aNic(at)],
      }),
      times: [] as number[],
    })),
  );
  for (let turn = 0; turn < starts; turn++) {
    for (const { node, instance, times } of sides) {
      const begun = performance.now();
      await start(bench, node, instance);
      times.push(performance.now() - begun);
      const state = { name: instance.name, hypervisor: { name: "kvm", hvparams } };
      // The work happened.
      const info = (await called(bench, node, "instance_info", state)) as { memory?: number };
      if (info.memory !== 128) throw new Error(`${node.name}: ${JSON.stringify(info)}`);
      await shutDown(bench, node, instance);
    }
  }
  const [theirs, own] = sides.map(({ times }) => {
    const sorted = times.toSorted((a, b) => a - b).map(Math.round);
    return { least: sorted[0] ?? 0, median: sorted[sorted.length >> 1] ?? 0 };
  });
  return { ganeti: theirs, ours: own };
}

async function main(): Promise<void> {
  const bench = await bringUp({});
  try {
    const [, second, third] = bench.nodes;
    if (second === undefined || third === undefined) throw new Error("needs three nodes");
    const program = join(import.meta.dirname, "../../dist/ganeti-ts-noded.js");
    await replaceNodeDaemon(bench, third, program, {
      isDebug: false,
      // The option in the first line of the program.
      nodeOptions: ["--max-semi-space-size=1"],
    });
    const ganeti = measuredNode(bench, second, "ganeti-noded.pid");
    const ours = measuredNode(bench, third, "ganeti-ts-noded.pid");
    const calls = await callFigures(bench, ganeti, ours);
    const residentMib = async ({ node, target }: Measured) => {
      const { stdout } = await bench.exec("cat", [`/proc/${target.pid}/status`], { node });
      return Math.round(Number(/VmRSS:\s+(\d+)/.exec(stdout)?.[1]) / 1024);
    };
    const resident = { ganeti: await residentMib(ganeti), ours: await residentMib(ours) };
    const startMs = await startFigures(bench, ganeti, ours);
    const figures = { ...calls, residentMib: resident, startMs };
    console.log(JSON.stringify(figures, null, 2));
    recordIfAsked("bench/baseline.json", figures);
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
