/** Node daemons that a program of apps/noded/test runs, and a cluster with a local socket on them. */

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Cluster, createCluster, memoryStores, openCluster } from "@ganeti-ts/cluster";
import type { Snapshot } from "@ganeti-ts/config";
import { answered, type NodeBackend } from "@ganeti-ts/node-calls";
import { createNodeRpcClient } from "@ganeti-ts/node-rpc";
import { systemClock as clock, type JsonObject, secureRandom as random } from "@ganeti-ts/protocol";
import { noopOs, SimulatedNodes } from "@ganeti-ts/simulated-nodes";
import { certificateFault } from "@ganeti-ts/takeover";
import { build } from "esbuild";
import { createLog } from "../../src/log.js";
import { listenForLuxi } from "../../src/program/luxi-listener.js";

const noded = join(import.meta.dirname, "../../../noded");

interface Reach {
  readonly nodes: readonly {
    readonly name: string;
    readonly port: number;
    readonly primaryIp: string;
    readonly secondaryIp: string;
  }[];
  /** Folder for disks in files. */
  readonly files?: string;
  /** Key and certificate. */
  readonly server: string;
  readonly client: string;
}

export interface DrivenNodes extends Reach {
  /** Sends one line to the program; gives its answer. */
  command(line: JsonObject): Promise<JsonObject>;
  close(): Promise<void>;
}

/** Runs `apps/noded/test/programs/NAME.ts`. */
export async function drivenNodes(
  name: string,
  args: readonly string[] = [],
): Promise<DrivenNodes> {
  const folder = mkdtempSync(join(noded, "node_modules/.driven-"));
  const file = join(folder, "test", "programs", `${name}.mjs`);
  const common = { bundle: true, platform: "node", format: "esm", logLevel: "error" } as const;
  await build({
    entryPoints: [join(noded, `test/programs/${name}.ts`)],
    ...{ ...common, outfile: file, packages: "external" },
    // Its modules find the daemon's sources and programs next to their own.
    define: { "import.meta.dirname": "__folder" },
    banner: { js: `const __folder = ${JSON.stringify(join(noded, "test/guest"))};` },
  });
  const transfers = join(folder, "import-export.js");
  await build({
    ...common,
    entryPoints: [join(noded, "src/import-export.ts")],
    outfile: transfers,
  });
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  const program = spawn(process.execPath, [file, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => program.once("close", () => resolve()));
  const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
  const answer = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${name} has ended`);
    return JSON.parse(value);
  };
  const close = async () => {
    program.stdin.end();
    await ended;
    rmSync(folder, { recursive: true });
  };
  try {
    const reach = (await answer()) as Reach;
    return {
      ...reach,
      async command(line) {
        program.stdin.write(`${JSON.stringify(line)}\n`);
        return answer();
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

export interface DrivenCluster {
  readonly cluster: Cluster;
  /** Path of the local protocol's socket. */
  readonly luxiPath: string;
  /** Result of the only opcode. @throws Error if the job fails */
  done(opcode: JsonObject): Promise<unknown>;
  close(): Promise<void>;
}

/** A cluster whose configuration is made on simulated nodes of the same names, and served on the driven ones. */
export async function clusterOn({
  nodes,
  files,
  server,
  client: pem,
}: Reach): Promise<DrivenCluster> {
  const stores = memoryStores({ clock });
  const newHost = (name: string) => ({
    ...{ name, memoryTotalMib: 4096, operatingSystems: [noopOs], bridges: ["br0"] },
    volumeGroups: { xenvg: { "/dev/sda": 9000 } },
  });
  const simulated = await SimulatedNodes.open({ clock, hosts: [], newHost });
  const machines = (now: () => Snapshot) => ({
    ...{ backend: simulated, fence: simulated },
    masterHost: {
      ...simulated.masterHost(() => now().cluster.master_node),
      // The nodes' certificates are real ones.
      certificateFault: async (certPem: string) => answered(certificateFault(certPem)),
    },
  });
  const resolver = {
    resolve: async (name: string) => ({ ok: true as const, name, ip: "198.51.100.7" }),
    isAlive: async () => false,
  };
  const members = nodes.map(({ name, primaryIp, secondaryIp }, at) => ({
    ...{ name, secondary_ip: secondaryIp },
    // Several nodes cannot have one address; the client gets the real one.
    primary_ip: primaryIp === "127.0.0.1" ? `127.0.1.${at + 1}` : primaryIp,
  }));
  const parameters = { nicparams: { link: "br0" } };
  await createCluster(
    {
      ...{ name: "cluster.example.com", nodes: members, hypervisors: ["fake"], parameters },
      disk_templates: ["drbd", "plain", ...(files === undefined ? [] : (["file"] as const))],
      // The nodes have no ssh keys.
      cluster: { modify_ssh_setup: false, ...(files !== undefined && { file_storage_dir: files }) },
    },
    { store: stores.config, nodes: machines, resolver, clock, random },
  );
  const cluster = await openCluster({
    ...{ stores, resolver, clock, random },
    nodes: async (now: () => Snapshot) => {
      const known = nodes.flatMap((node) => {
        const uuid = now().findNode(node.name)?.uuid;
        return uuid === undefined ? [] : [{ ...node, uuid }];
      });
      const client = createNodeRpcClient({
        ...{ clusterCertificate: server, clientCertificate: pem, clientKey: pem },
        ports: Object.fromEntries(known.map(({ uuid, port }) => [uuid, port])),
      });
      const addressOf = new Map(known.map(({ uuid, primaryIp }) => [uuid as string, primaryIp]));
      const backend: NodeBackend = {
        call: client.call.bind(client),
        introduce: (node) =>
          client.introduce({ ...node, primaryIp: addressOf.get(node.uuid) ?? node.primaryIp }),
      };
      return { ...machines(now), backend };
    },
  });
  const folder = mkdtempSync(join(tmpdir(), "driven-"));
  const log = createLog("silent");
  const luxiPath = join(folder, "query");
  const luxi = await listenForLuxi({ luxiPath, luxiGroup: undefined }, folder, { cluster, log });
  return {
    cluster,
    luxiPath,
    async done(opcode) {
      const { status, results } = await cluster.queue.ended(await cluster.queue.submit([opcode]));
      if (status !== "success") throw new Error(`${opcode.OP_ID}: ${JSON.stringify(results)}`);
      return results[0];
    },
    async close() {
      await luxi.close(0);
      await cluster.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Reason why a built harep cannot be run. */
export const harep = join(import.meta.dirname, "../../../hail/dist/harep.js");
export const harepProblem = existsSync(harep) ? undefined : "apps/hail is not built";
