// The laws of node back ends on three daemons, over TLS on loopback. Each daemon has a folder as its machine, with simulated
// programs of LVM and DRBD.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { exportDirectory } from "@ganeti-ts/node-calls";
import {
  capabilities,
  describeNodeBackend,
  type NodeStage,
} from "@ganeti-ts/node-calls/conformance";
import { createNodeRpcClient } from "@ganeti-ts/node-rpc";
import { type Clock, systemClock } from "@ganeti-ts/protocol";
import { beforeAll, describe, test } from "vitest";
import { serve } from "../src/daemon/serve.js";
import { nodePaths } from "../src/machine/paths.js";
import type { Runner } from "../src/machine/runner.js";
import { quiet } from "./a-context.js";
import { compiledProgram } from "./compiled-program.js";
import { fakePrograms } from "./fake-programs.js";
import { machineFolder } from "./machine-folder.js";
import { type SimulatedMachine, simulatedMachines } from "./simulation/machines.js";

/** The real clock, but with short delays of refusals. */
const clock: Clock = {
  ...systemClock,
  after: (delayMs, then) => systemClock.after(delayMs === 10_000 ? 10 : delayMs, then),
};

/** Writes an executable script, which succeeds by default. */
function program(root: string, path: string, script = "exit 0"): void {
  const whole = join(root, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** A runner that passes programs of these names to `some` and all others to `others`. */
const divided = (names: ReadonlySet<string>, some: Runner, others: Runner): Runner => ({
  ...others,
  run: (command) => (names.has(command.program) ? some : others).run(command),
});

/** A valid OS definition, whose scripts do nothing. */
function noopOs(root: string): void {
  const path = "srv/ganeti/os/noop";
  for (const name of ["create", "import", "export", "rename", "verify"]) {
    program(root, `${path}/${name}`);
  }
  writeFileSync(join(root, path, "ganeti_api_version"), "20\n15\n");
  writeFileSync(join(root, path, "variants.list"), "default\n");
}

async function open(): Promise<NodeStage> {
  const folder = await machineFolder();
  const fileDirectory = join(folder.root, "file-storage");
  mkdirSync(fileDirectory);
  chmodSync(fileDirectory, 0o755);
  writeFileSync(join(folder.root, "etc/ganeti/file-storage-paths"), `# disks\n${fileDirectory}\n`);
  program(folder.root, "etc/ganeti/restricted-commands/uptime");
  program(folder.root, "usr/lib/ganeti/iallocators/hail");
  noopOs(folder.root);
  const interfaces = join(folder.root, "interfaces");
  mkdirSync(join(interfaces, "br0/bridge"), { recursive: true });
  const members = ["A", "B", "C"].map((uuid) => ({
    uuid,
    name: `${uuid}.example.com`,
    primaryIp: "127.0.0.1",
    secondaryIp: `192.0.2.${uuid.charCodeAt(0)}`,
  })) as unknown as NodeStage["members"];
  folder.ssconf("cluster_name", "cluster.example.com\n");
  folder.ssconf("online_nodes", members.map(({ name }) => `${name}\n`).join(""));
  writeFileSync(
    join(folder.root, "var/lib/ganeti/ganeti_pub_keys"),
    "A ssh-rsa AAAA a\nB ssh-rsa BBBB b\n",
  );
  const roots = [
    folder.root,
    await folder.neighbour("B.example.com"),
    await folder.neighbour("C.example.com"),
  ];
  const machines = Object.fromEntries(
    members.map(({ name }, at) => {
      const root = roots[at] as string;
      program(root, "usr/lib/ganeti/daemon-util");
      program(root, "usr/lib/ganeti/import-export", importExport);
      return [name, { ...nodePaths(root), interfaces: join(root, "interfaces") }];
    }),
  );
  const simulated = simulatedMachines(join(folder.root, "machines"), members.length);
  const servers = await Promise.all(
    Object.entries(machines).map(([nodeName, own], at) => {
      const { run, programs, proc, modules } = simulated[at] as SimulatedMachine;
      const paths = { ...own, proc, modules };
      const options = { address: "127.0.0.1", port: 0, root: paths.root, nodeName, isDebug: false };
      const others = fakePrograms(paths, machines);
      return serve(options, quiet, { paths, clock, run: divided(programs, run, others) });
    }),
  );
  const client = createNodeRpcClient({
    clusterCertificate: folder.server,
    clientCertificate: folder.client,
    clientKey: folder.client,
    ports: Object.fromEntries(members.map(({ uuid }, at) => [uuid, servers[at]?.port ?? 0])),
  });
  for (const member of members) await client.introduce(member);
  return {
    nodes: client,
    members,
    volumeGroup: "xenvg",
    fileDirectory,
    hypervisor: "fake",
    os: "noop+default",
    bridge: "br0",
    uploadPath: "/var/lib/ganeti/known_hosts",
    exportDirectory,
    restrictedCommand: "uptime",
    allocator: "hail",
    oobProgram: "/bin/true",
    setReadOnly: async (node, name, readOnly) => simulated[node]?.setReadOnly(name, readOnly),
    pass: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    async close() {
      await Promise.all(servers.map((server) => server.close()));
      folder.remove();
    },
  };
}

let importExport = "";
beforeAll(() => {
  importExport = `exec ${compiledProgram("import-export")} "$@"`;
});

// Operating systems and exports are left out: their laws copy disks, and the simulated volumes hold no data.
const has: readonly string[] = [
  "file storage",
  "lvm",
  "drbd",
  "instances",
  "migration",
  "certificates",
  "uploads",
  "queue",
  "hooks",
  "commands",
  "membership",
  "master address",
  "ssh keys",
  "repetition",
  "damaged volumes",
];
const lacks = capabilities.filter((one) => !has.includes(one));

describeNodeBackend("node daemons", { open, lacks }, { describe, test });
