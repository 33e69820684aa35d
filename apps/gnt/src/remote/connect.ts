/** Choice of the server, by options and environment. */
import { homedir } from "node:os";
import { join } from "node:path";
import type { RapiOptions } from "@ganeti-ts/rapi-client/transport";
import type { Cluster } from "../cluster.js";
import { Ending } from "../errors.js";
import type { OptionValues } from "../invocation.js";
import type { Machine } from "../machine.js";
import { RemoteCluster } from "./remote-cluster.js";

export interface Connection {
  readonly dataDirectory: string;
  readonly cluster: Cluster;
}

/** Connects to the cluster selected by options and environment. */
export type Connect = (options: OptionValues, machine: Machine) => Promise<Connection>;

/** Makes no connection yet. @throws Ending if a named file cannot be read */
export async function openConnection(options: OptionValues, machine: Machine): Promise<Connection> {
  const { env } = machine;
  const dataDirectory = dataPath(options.text("data-dir"), machine);
  const onNote = noteOnce(machine);
  const url = options.text("url") ?? (env.GANETI_RAPI_URL || undefined);
  if (url === undefined) {
    const socketPath = join(dataDirectory, "rapi.sock");
    const server = { url: "http://localhost", socketPath, signal: machine.signal, onNote };
    return { dataDirectory, cluster: new RemoteCluster({ ...server, ...patience }) };
  }
  const server: RapiOptions = {
    url: completed(url),
    signal: machine.signal,
    onNote,
    ...patience,
    ...credentials(options, machine),
    ...trust(options, machine),
  };
  return { dataDirectory, cluster: new RemoteCluster(server) };
}

/** Twins and shadows carry a note with each answer; it is printed once. */
function noteOnce(machine: Machine): (note: string) => void {
  let isNoted = false;
  return (note) => {
    if (!isNoted) machine.writeError(`Note: ${note}\n`);
    isNoted = true;
  };
}

/** No retries: a user sees that the server does not answer, and can try again. */
const patience = { retriesMax: 0, timeoutMs: 120_000 };

/** `given`, or `GANETI_TS_DATA`, or the default for root or other users. */
function dataPath(given: string | undefined, { env, uid }: Machine): string {
  if (given !== undefined) return given;
  if (env.GANETI_TS_DATA) return env.GANETI_TS_DATA;
  if (uid === 0) return "/var/lib/ganeti-ts";
  return join(env.XDG_STATE_HOME || join(env.HOME || homedir(), ".local/state"), "ganeti-ts");
}

/** `cluster.example.com` is `https://cluster.example.com:5080`. */
function completed(url: string): string {
  if (/^\w+:\/\//.test(url)) return url;
  return `https://${url}${/:\d+$/.test(url) ? "" : ":5080"}`;
}

/** The password is never an argument, because all users of the machine can see those. */
function credentials(options: OptionValues, machine: Machine) {
  const { env } = machine;
  const user = options.text("user") ?? env.GANETI_RAPI_USER;
  const file = options.text("password-file");
  const password = file === undefined ? env.GANETI_RAPI_PASSWORD : firstLine(file, machine);
  return {
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
  };
}

function trust(options: OptionValues, machine: Machine) {
  const file = options.text("ca") ?? (machine.env.GANETI_RAPI_CA || undefined);
  return {
    verifyCertificate: !options.flag("insecure"),
    ...(file === undefined ? {} : { ca: content(file, machine) }),
  };
}

const firstLine = (file: string, machine: Machine) =>
  content(file, machine).split("\n", 1)[0]?.replace(/\r$/, "") ?? "";

function content(file: string, machine: Machine): string {
  try {
    return machine.read(file);
  } catch (error) {
    throw new Ending(`Cannot read ${file}: ${(error as Error).message}`);
  }
}
