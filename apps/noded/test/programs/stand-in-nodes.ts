// Runs three node daemons on loopback for tests of other packages. Each has a folder as its machine, with simulated programs of
// LVM and DRBD. Prints how to reach them. Each line of input lets a physical volume fail: {"node": 1, "device": "/dev/sda3",
// "isMissing": true}.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { systemClock } from "@ganeti-ts/protocol";
import { serve } from "../../src/daemon/serve.js";
import { nodePaths } from "../../src/machine/paths.js";
import type { Runner } from "../../src/machine/runner.js";
import { fakePrograms } from "../fake-programs.js";
import { machineFolder } from "../machine-folder.js";
import { type SimulatedMachine, simulatedMachines } from "../simulation/machines.js";

const names = ["node1", "node2", "node3"].map((name) => `${name}.example.com`);
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** Writes an OS definition; scripts that are not given do nothing. */
function writeOs(root: string, os: string, scripts: Readonly<Record<string, string>> = {}): void {
  const path = join(root, "srv/ganeti/os", os);
  mkdirSync(path, { recursive: true });
  for (const name of ["create", "import", "export", "rename", "verify"]) {
    writeFileSync(join(path, name), `#!/bin/sh\n${scripts[name] ?? "exit 0"}\n`, { mode: 0o755 });
  }
  writeFileSync(join(path, "ganeti_api_version"), "20\n");
  writeFileSync(join(path, "variants.list"), "default\n");
}

const folder = await machineFolder();
writeOs(folder.root, "noop");
writeOs(folder.root, "copied", {
  export: 'cat "$EXPORT_DEVICE"',
  import: 'cat > "$IMPORT_DEVICE"',
});
const files = join(folder.root, "files");
mkdirSync(files);
writeFileSync(join(folder.root, "etc/ganeti/file-storage-paths"), `${files}\n`);
mkdirSync(join(folder.root, "interfaces/br0/bridge"), { recursive: true });
folder.ssconf("cluster_name", "cluster.example.com\n");
folder.ssconf("online_nodes", names.map((name) => `${name}\n`).join(""));
const hooks = join(folder.root, "etc/ganeti/hooks/none");
mkdirSync(dirname(hooks), { recursive: true });
const roots = [folder.root];
for (const name of names.slice(1)) roots.push(await folder.neighbour(name));
const simulated = simulatedMachines(join(folder.root, "machines"), names.length);
const servers = await Promise.all(
  roots.map((root, at) => {
    const { run, programs, proc, modules } = simulated[at] as SimulatedMachine;
    const paths = { ...nodePaths(root), interfaces: join(root, "interfaces"), proc, modules };
    const others = fakePrograms(paths, {});
    const divided: Runner = {
      ...others,
      run: (command) => (programs.has(command.program) ? run : others).run(command),
    };
    const nodeName = names[at] as string;
    const options = { address: "127.0.0.1", port: 0, root, nodeName, isDebug: false };
    return serve(options, quiet, { paths, clock: systemClock, run: divided });
  }),
);
const nodes = servers.map(({ port }, at) => ({
  ...{ name: names[at], port },
  ...{ primaryIp: "127.0.0.1", secondaryIp: `192.0.2.${at + 1}` },
}));
const { server, client } = folder;
process.stdout.write(`${JSON.stringify({ nodes, files, server, client })}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const { node, device, isMissing } = JSON.parse(line) as {
    node: number;
    device: string;
    isMissing: boolean;
  };
  simulated[node]?.fail(device, isMissing);
  process.stdout.write("{}\n");
}
await Promise.all(servers.map((one) => one.close()));
folder.remove();
process.exit(0);
