/** Consoles of instances on Ganeti's nodes: VNC by TCP or through ssh, serial ones by ssh. */

import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { Duplex, type Readable, type Writable } from "node:stream";
import { type GanetiSite, localPath, shellWord, sshArguments } from "@ganeti-ts/machines";
import { dataDirectory } from "@ganeti-ts/node-calls";
import {
  ConsoleError,
  type ConsoleInstance,
  type ConsoleKind,
  type Consoles,
} from "../../console/consoles.js";

/** Timeout (ms) of a connection to a VNC server. */
const connectMs = 10_000;

export const ganetiConsoles = (site: GanetiSite): Consoles => ({
  kindsOf(instance) {
    const kinds: ConsoleKind[] = [];
    if (instance.console.kind === "ssh") kinds.push("serial");
    if (vncAddress(instance) !== undefined) kinds.push("vnc");
    return kinds;
  },
  async open(instance, kind) {
    if (kind === "serial") return { stream: serialStream(site, instance), password: undefined };
    const address = vncAddress(instance);
    if (address === undefined) throw new ConsoleError(`${instance.name} has no VNC server`);
    const password = await passwordOf(site, instance);
    const { host, port, isLoopback } = address;
    const stream = isLoopback
      ? overSsh(site, instance, [
          "-W",
          host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`,
        ])
      : await connected(host, port);
    return { stream, password };
  },
});

interface VncAddress {
  readonly host: string;
  readonly port: number;
  /** Whether only the node itself can reach it. */
  readonly isLoopback: boolean;
}

/** Undefined without a VNC server on TCP. */
export function vncAddress(instance: ConsoleInstance): VncAddress | undefined {
  const { hvparams, networkPort, nodeAddress } = instance;
  const bind = hvparams.vnc_bind_address;
  // An absolute path is a Unix socket.
  if (typeof bind !== "string" || bind === "" || bind.startsWith("/") || networkPort === null) {
    return undefined;
  }
  const isAny = bind === "0.0.0.0" || bind === "::";
  const isLoopback = /^127\.|^::1$|^localhost$/.test(bind);
  return { host: isAny ? nodeAddress : bind, port: networkPort, isLoopback };
}

/** The VNC password in this machine's copy of the file, which the cluster distributes. */
async function passwordOf(
  site: GanetiSite,
  { hvparams }: ConsoleInstance,
): Promise<string | undefined> {
  const path = hvparams.vnc_password_file;
  if (typeof path !== "string" || path === "") return undefined;
  try {
    const [line = ""] = (await readFile(localPath(site, path), "utf8")).split("\n");
    return line.trimEnd() || undefined;
  } catch {
    return undefined;
  }
}

function connected(host: string, port: number): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: connectMs });
    const fail = (text: string) => {
      socket.destroy();
      reject(new ConsoleError(`The VNC server at ${host}:${port} cannot be reached: ${text}`));
    };
    socket.once("error", (error) => fail(error.message));
    socket.once("timeout", () => fail(`no answer in ${connectMs / 1000} s`));
    socket.once("connect", () => {
      socket.removeAllListeners().setTimeout(0);
      socket.setNoDelay(true);
      resolve(socket);
    });
  });
}

/** Runs the console command that the node has reported, on a terminal of the node. */
function serialStream(site: GanetiSite, instance: ConsoleInstance): Duplex {
  const { command, user } = instance.console;
  const words = Array.isArray(command)
    ? command.map(String).map(shellWord).join(" ")
    : String(command);
  return overSsh(site, instance, ["-t", "-t"], String(user ?? "root"), [words]);
}

function overSsh(
  site: GanetiSite,
  { node, nodeAddress, sshPort, clusterName }: ConsoleInstance,
  options: readonly string[],
  user = "root",
  command: readonly string[] = [],
): Duplex {
  const common = sshArguments({
    clusterName,
    knownHosts: localPath(site, `${dataDirectory}/known_hosts`),
    family: nodeAddress.includes(":") ? 10 : 2,
    port: sshPort,
  });
  const child = spawn("ssh", [...common, ...options, `${user}@${node}`, ...command], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const stream = streamOf(child);
  child.on("error", (error) => stream.destroy(new ConsoleError(`ssh: ${error.message}`)));
  stream.on("close", () => child.kill());
  return stream;
}

/**
 * Input and output of a program as one stream, which ends with the output. `Duplex.from` would fail when the program
 * ends before its input has been closed, which is the usual end of a console.
 */
function streamOf({ stdin, stdout }: { stdin: Writable; stdout: Readable }): Duplex {
  const stream = new Duplex({
    allowHalfOpen: false,
    read: () => void stdout.resume(),
    // Input after the program's end is dropped.
    write: (part, _encoding, done) => {
      if (stdin.writable) stdin.write(part, () => done());
      else done();
    },
    final: (done) => {
      if (stdin.writable) stdin.end(() => done());
      else done();
    },
  });
  stdin.on("error", () => {});
  stdout.on("data", (part) => stream.push(part) || stdout.pause());
  stdout.on("end", () => stream.push(null));
  stdout.on("error", (error) => stream.destroy(error));
  return stream;
}
