// Masters for the clusters of the test kit: over the local socket and over the remote API.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClusterData, InstancePolicy, InstanceSpec } from "@ganeti-ts/protocol";
import { type Realm, realmGroup, realmInstance, realmNode } from "./mock-master.js";
import type { Printed } from "./original.js";

const wireSpec = (spec: InstanceSpec) => ({
  "memory-size": spec.memoryMib,
  "cpu-count": spec.cpuCount,
  "disk-size": spec.diskMib,
  "disk-count": spec.diskCount,
  "nic-count": spec.nicCount,
  "spindle-use": spec.spindleUse,
});

const wirePolicy = (policy: InstancePolicy) => ({
  minmax: policy.minMax.map(({ min, max }) => ({ min: wireSpec(min), max: wireSpec(max) })),
  std: wireSpec(policy.std),
  "disk-templates": policy.diskTemplates,
  "vcpu-ratio": policy.vcpuRatio,
  "spindle-ratio": policy.spindleRatio,
});

/** A cluster as a master knows it; the first node is the master. */
export function realmOf({ groups, nodes, instances, tags, hypervisor }: ClusterData): Realm {
  const nameOf = (node: number) => nodes[node]?.name as string;
  const policies = groups.map(({ policy }) => wirePolicy(policy));
  return {
    groups: groups.map(({ name, uuid, allocationPolicy, tags: own }, index) =>
      realmGroup({
        name,
        uuid,
        alloc_policy: allocationPolicy,
        ipolicy: policies[index],
        tags: own,
      }),
    ),
    nodes: nodes.map((node) =>
      realmNode(node.name, {
        mtotal: node.memoryTotalMib,
        mnode: node.memoryNodeMib,
        mfree: node.memoryFreeMib,
        dtotal: node.diskTotalMib,
        dfree: node.diskFreeMib,
        ctotal: node.cpuTotal,
        cnos: node.cpuNode,
        offline: node.offline,
        "ndp/spindle_count": node.spindleTotal,
        "group.uuid": groups[node.groupIndex]?.uuid,
        tags: node.tags,
        "ndp/exclusive_storage": node.exclusiveStorage,
        sptotal: node.spindleTotal,
        spfree: node.spindleFree,
        "ndp/cpu_speed": node.cpuSpeed,
      }),
    ),
    instances: instances.map((instance) => {
      const { primary, secondary } = instance;
      const on = secondary < 0 ? [nameOf(primary)] : [nameOf(primary), nameOf(secondary)];
      return realmInstance(instance.name, on, {
        disk_usage: instance.diskMib,
        "be/memory": instance.memoryMib,
        "be/vcpus": instance.vcpus,
        status: instance.status,
        tags: instance.tags,
        "be/auto_balance": instance.autoBalance,
        disk_template: instance.diskTemplate,
        "be/spindle_use": instance.spindleUse,
        "disk.sizes": instance.disks.map(({ sizeMib }) => sizeMib),
        "disk.spindles": instance.disks.map(({ spindles }) => spindles ?? null),
        forthcoming: instance.forthcoming,
      });
    }),
    info: {
      tags,
      ipolicy: policies[0],
      master: nodes[0]?.name,
      default_hypervisor: hypervisor ?? "fake",
    },
  };
}

/** Answers of the remote API for the same cluster, by path. */
export function rapiAnswers(realm: Realm): Readonly<Record<string, unknown>> {
  const nodes = realm.nodes.map((node) => ({
    ...node,
    ndparams: {
      spindle_count: node["ndp/spindle_count"],
      exclusive_storage: node["ndp/exclusive_storage"],
    },
  }));
  const instances = realm.instances.map((instance) => ({
    ...instance,
    oper_ram: instance.status === "running" ? instance["be/memory"] : null,
    beparams: {
      memory: instance["be/memory"],
      maxmem: instance["be/memory"],
      vcpus: instance["be/vcpus"],
      auto_balance: instance["be/auto_balance"],
      spindle_use: instance["be/spindle_use"],
    },
  }));
  return {
    "/2/groups?bulk=1": realm.groups,
    "/2/nodes?bulk=1": nodes,
    "/2/instances?bulk=1": instances,
    "/2/info": realm.info,
  };
}

/** The same as files, as `-m file://…` reads them. */
export const rapiFiles = (realm: Realm, folder: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(rapiAnswers(realm)).map(([path, answer]) => [
      `${folder}/${path.slice(3).replace("?bulk=1", "")}.json`,
      JSON.stringify(answer),
    ]),
  );

export interface HttpServer {
  /** Host and port. */
  readonly address: string;
  readonly asked: string[];
  close(): Promise<void>;
}

/** Answers on the loopback; what `respond` leaves unanswered is not found. */
export async function startHttp(
  respond: (request: IncomingMessage, response: ServerResponse, body: string) => void,
  { secure = false } = {},
): Promise<HttpServer> {
  const asked: string[] = [];
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      asked.push(`${request.method} ${request.url}`);
      respond(request, response, Buffer.concat(chunks).toString());
    });
  };
  const pem = (name: string) => readFileSync(new URL(`fixtures/${name}.pem`, import.meta.url));
  const server = secure
    ? createSecureServer({ key: pem("key"), cert: pem("certificate") }, listener)
    : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const startRapi = (realm: Realm, options = {}): Promise<HttpServer> => {
  const answers = rapiAnswers(realm);
  return startHttp((request, response) => {
    const answer = answers[request.url ?? ""];
    response.writeHead(answer === undefined ? 404 : 200, { connection: "close" });
    response.end(JSON.stringify(answer ?? { code: 404, message: "Not Found", explain: "" }));
  }, options);
};

/** Runs the original against our own server; asynchronous, because the server runs in this process. `files` are in its folder. */
export async function originalBeside(
  name: string,
  argv: readonly string[],
  files: Readonly<Record<string, string>> = {},
  onStart: (kill: (signal: NodeJS.Signals) => void) => void = () => {},
): Promise<Printed> {
  const cwd = mkdtempSync(join(tmpdir(), `${name}-`));
  try {
    for (const [path, text] of Object.entries(files)) writeFileSync(join(cwd, path), text);
    const env = { ...process.env, LC_ALL: "C.UTF-8", TZ: "UTC" };
    const child = spawn(`/usr/bin/${name}`, argv, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    onStart((signal) => child.kill(signal));
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    const exitCode = await new Promise<number>((resolve) =>
      child.on("close", (code) => resolve(code ?? -1)),
    );
    const written = readdirSync(cwd)
      .filter((path) => !(path in files))
      .map((path) => [path, readFileSync(join(cwd, path), "utf8")]);
    return {
      exitCode,
      stdout: Buffer.concat(out).toString(),
      stderr: Buffer.concat(err).toString(),
      written: Object.fromEntries(written),
    };
  } finally {
    rmSync(cwd, { recursive: true });
  }
}
