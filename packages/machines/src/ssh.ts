import { spawn } from "node:child_process";
import { failed, type NodeAnswer } from "@ganeti-ts/node-calls";

/** Options of an ssh connection: how to reach the host, and which host keys to accept. */
export interface SshOptions {
  readonly clusterName: string;
  readonly knownHosts: string;
  /** Address family of the cluster's primary addresses: 2 is IPv4, 10 is IPv6. */
  readonly family: 2 | 10;
  readonly port: number;
}

/** Result of a command on another machine. */
export interface RemoteRun {
  readonly output: string;
  readonly exitCode: number;
}

/** Maximum size of the output (bytes). */
const outputMax = 16 * 1024 * 1024;

/** Exit code of ssh if the connection failed, or ended before the command did. */
const noConnection = 255;

/**
 * Runs a command line as root on a host whose key the cluster knows. Resolves when it has ended, with standard output and
 * standard error in one text, in the order of arrival.
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
  // A command that does not read its input causes EPIPE.
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
