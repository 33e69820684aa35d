/** nodeProgramFiles: the files of the node daemon, for copying to machines. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { ArchivedFile } from "./tar-archive.js";

/** Folder of the daemon and its Node.js on a node, relative to the root. */
const place = "usr/lib/ganeti-ts";

interface Wanted {
  readonly folder: string;
  readonly nodeName: string;
  /** Whether to copy the Node.js that runs this process, for a machine without a suitable one. */
  readonly withNode: boolean;
  readonly hasSystemd: boolean;
}

/** All files that the daemon needs on a machine, except those of a cluster. */
export function nodeProgramFiles(wanted: Wanted): readonly ArchivedFile[] {
  const { folder, nodeName, withNode, hasSystemd } = wanted;
  const files = filesBelow(folder).map((path) => {
    const content = readFileSync(path);
    // Judged by the content, because an installer may have lost the mode of a script.
    const isProgram = content.subarray(0, 2).toString() === "#!";
    return {
      path: `${place}/noded/${relative(folder, path)}`,
      content,
      mode: isProgram ? 0o755 : 0o644,
    };
  });
  return [
    ...files,
    ...(withNode
      ? [{ path: `${place}/node`, content: readFileSync(process.execPath), mode: 0o755 }]
      : []),
    { path: `${place}/ganeti-ts-noded`, content: starter(optionsOfNode(folder)), mode: 0o755 },
    // Ganeti's masters run this program to change the ssh files of nodes.
    { path: `${place}/ssh-update`, content: sshUpdate, mode: 0o755 },
    {
      path: "etc/default/ganeti-ts-noded",
      content: `# Options of the node daemon.\nNODED_ARGS='--node-name=${nodeName}'\n`,
      mode: 0o644,
    },
    ...(hasSystemd
      ? [
          {
            path: "etc/systemd/system/ganeti-ts-noded.service",
            content: readFileSync(join(folder, "ganeti-ts-noded.service")),
            mode: 0o644,
          },
        ]
      : []),
  ];
}

/** Options for Node.js in the first line of the daemon. */
function optionsOfNode(folder: string): string {
  const text = readFileSync(join(folder, "ganeti-ts-noded.js"), "utf8");
  return /^#!.* node((?: --[^\s]+)*)\n/.exec(text)?.[1] ?? "";
}

const starter = (options: string): string => `#!/bin/sh
# Starts the node daemon with the Node beside it, or that of the machine.
node=/${place}/node
[ -x "$node" ] || node=node
[ ! -f /etc/default/ganeti-ts-noded ] || . /etc/default/ganeti-ts-noded
mkdir -p /run/ganeti
exec "$node"${options} /${place}/noded/ganeti-ts-noded.js $NODED_ARGS "$@"
`;

const sshUpdate = `#!/bin/sh
# Changes the ssh files of root for the master of the cluster.
node=/${place}/node
[ -x "$node" ] || node=node
exec "$node" /${place}/noded/ssh-update.js "$@"
`;

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
