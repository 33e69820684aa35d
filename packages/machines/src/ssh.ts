import { spawn } from "node:child_process";
import { failed, type NodeAnswer } from "@ganeti-ts/node-calls";

/** How a host is reached, and by which keys it is known. */
export interface SshOptions {
  readonly clusterName: string;
  readonly knownHosts: string;
  /** Address family of the cluster's primary addresses: 2 is IPv4, 10 is IPv6. */
  readonly family: 2 | 10;
  readonly port: number;
}

/** A command that has ended on another machine. */
export interface RemoteRun {
  readonly output: string;
  readonly exitCode: number;
}

/** Longest output that is kept (bytes). */
const outputMax = 16 * 1024 * 1024;

/** ssh's own exit code when there was no connection, or it ended before the command. */
const noConnection = 255;

/**
 * Runs a command line as root on a host whose key the cluster knows. Resolves when it has ended; standard output
 * and error are one text, in the order of their arrival.
 */
export function runOverSsh(
  host: string,
  command: string,
  input: string,
  options: SshOptions,
): Promise<NodeAnswer<RemoteRun>> {
  const child = spawn("ssh", [...sshArguments(options), `root@${host}`, command], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  const parts: Buffer[] = [];
  let size = 0;
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (part: Buffer) => {
      size += part.length;
      if (size <= outputMax) parts.push(part);
    });
  }
  // A command that does not read its input closes it.
  child.stdin.on("error", () => {}).end(input);
  return new Promise((resolve) => {
    child.on("error", (error) => resolve(failed(`ssh: ${error.message}`)));
    child.on("close", (code, signal) => {
      const output = Buffer.concat(parts).toString("utf8");
      if (signal !== null) resolve(failed(`ssh was ended by ${signal}`));
      else if (code === noConnection)
        resolve(failed(output.trim() || `ssh: no connection to ${host}, or it broke`));
      else resolve({ ok: true, value: { output, exitCode: code ?? noConnection } });
    });
  });
}

/** Options of ssh for a host whose key the cluster knows. */
export const sshArguments = ({
  clusterName,
  knownHosts,
  family,
  port,
}: SshOptions): readonly string[] => [
  "-oEscapeChar=none",
  "-oHashKnownHosts=no",
  `-oGlobalKnownHostsFile=${knownHosts}`,
  "-oUserKnownHostsFile=/dev/null",
  "-oCheckHostIp=no",
  "-oConnectTimeout=10",
  `-oHostKeyAlias=${clusterName}`,
  "-oLogLevel=ERROR",
  `-oPort=${port}`,
  "-oBatchMode=yes",
  "-oStrictHostKeyChecking=yes",
  family === 10 ? "-6" : "-4",
];
