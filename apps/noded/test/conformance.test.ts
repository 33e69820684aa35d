// The laws of node back ends on three daemons, each with a folder of its own as its machine, over TLS on loopback.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  capabilities,
  describeNodeBackend,
  type NodeStage,
} from "@ganeti-ts/node-calls/conformance";
import { createNodeRpcClient } from "@ganeti-ts/node-rpc";
import { describe, test } from "vitest";
import { serve } from "../src/daemon/serve.js";
import { nodePaths } from "../src/machine/paths.js";
import { machineFolder } from "./machine-folder.js";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

async function open(): Promise<NodeStage> {
  const folder = await machineFolder();
  const fileDirectory = join(folder.root, "file-storage");
  mkdirSync(fileDirectory);
  chmodSync(fileDirectory, 0o755);
  mkdirSync(join(folder.root, "etc/ganeti"), { recursive: true });
  writeFileSync(join(folder.root, "etc/ganeti/file-storage-paths"), `# disks\n${fileDirectory}\n`);
  const interfaces = join(folder.root, "interfaces");
  mkdirSync(join(interfaces, "br0/bridge"), { recursive: true });
  const paths = { ...nodePaths(folder.root), interfaces };
  const members = ["A", "B", "C"].map((uuid) => ({
    uuid,
    name: `${uuid}.example.com`,
    primaryIp: "127.0.0.1",
    secondaryIp: "127.0.0.1",
  })) as unknown as NodeStage["members"];
  const servers = await Promise.all(
    members.map(({ uuid, name }) =>
      serve(
        { address: "127.0.0.1", port: 0, root: folder.root, nodeName: name, isDebug: false },
        quiet,
        // What runs on a node is its own; the rest is the same on all.
        { ...paths, run: join(folder.root, "run", uuid) },
      ),
    ),
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
    uploadPath: join(folder.root, "etc/ganeti/known"),
    exportDirectory: paths.exports,
    restrictedCommand: "uptime",
    allocator: "hail",
    oobProgram: "/bin/true",
    pass: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    async close() {
      await Promise.all(servers.map((server) => server.close()));
      folder.remove();
    },
  };
}

// Abilities are taken from this list as the daemon gains them.
const has: readonly string[] = ["file storage", "instances", "migration"];
const lacks = capabilities.filter((one) => !has.includes(one));

describeNodeBackend("node daemons", { open, lacks }, { describe, test });
