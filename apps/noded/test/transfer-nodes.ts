/** Nodes that send exports to each other, with the daemon's transfer program. */
import type { ExportCalls, InstanceOnNode } from "@ganeti-ts/node-calls";
import type { OpenDisks } from "../src/os/os-scripts.js";
import { exportCalls } from "../src/transfer/export-calls.js";
import { transferCalls } from "../src/transfer/transfer-calls.js";
import { aContext, noSignal } from "./a-context.js";
import type { MachineFolder } from "./machine-folder.js";

export const instance: InstanceOnNode = {
  ...{ uuid: "uuid-web", name: "web.example.com", os: "noop", hypervisor: "fake" },
  ...{ hvparams: {}, beparams: {}, osparams: {}, nics: [], disks: [] },
};
export const disk = {
  uuid: "uuid-disk",
  dev_type: "file" as const,
  logical_id: ["loop", "/x"],
  size: 5,
};
export const options = {
  ...{ compress: "gzip-fast", magic: "571e7ff28f10fec23aefeb5210b6ecd8a2260ce0", ipv6: false },
  ...{ keyName: null, caPem: null, connectTimeoutSeconds: 60 },
};
export const transfer = { instance, component: "disk0", options };
export const file = { kind: "file", path: "web.example.com.new/uuid-disk" } as const;

/** A node with the certificates of `folder` and the program `import-export`. */
export function transferNode(
  folder: MachineFolder,
  program: string,
  openDisks: OpenDisks = async () => [],
) {
  const context = aContext();
  context.write("var/lib/ganeti/server.pem", folder.server, 0o600);
  context.write("usr/lib/ganeti/import-export", `#!/bin/sh\nexec ${program} "$@"\n`, 0o755);
  return { context, ...transferCalls({ ...context, openDisks }), ...exportCalls(context) };
}
export type TransferNode = ReturnType<typeof transferNode>;

type Status = NonNullable<ExportCalls["impexp_status"]["value"][0]>;

/** Status of a transfer as soon as it satisfies a condition. */
export async function statusWhen(
  { impexp_status }: TransferNode,
  name: string,
  isReached: (status: Status) => boolean,
): Promise<Status> {
  for (;;) {
    const [status] = await impexp_status({ names: [name] }, noSignal);
    if (status == null) throw new Error(`${name} is unknown`);
    if (isReached(status)) return status;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export const ended = (at: TransferNode, name: string): Promise<Status> =>
  statusWhen(at, name, ({ exitStatus }) => exitStatus !== null);

/** Sends the disk of one node to a file on the other; returns the names of both ends. */
export async function send(from: TransferNode, to: TransferNode, change = {}, receiving = {}) {
  const into = await to.import_start({ ...transfer, end: file, ...receiving }, noSignal);
  const { listenPort } = await statusWhen(to, into, (status) => status.listenPort !== null);
  const source = { ...transfer, end: { kind: "raw-disk", disk } as const, host: "127.0.0.1" };
  const port = listenPort as number;
  const out = await from.export_start({ ...source, port, ...change }, noSignal);
  return { into, out };
}
