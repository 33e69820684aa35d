/** Search for the socket of the master on this machine, for `-L` without a path. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";

const below = "var/run/ganeti/socket/ganeti-query";

/** Where Ganeti's own master daemon listens. */
const ganetiSocket = `/${below}`;

/**
 * The path to connect to. What is named counts alone: `dataDir`, then `GANETI_ROOTDIR` as for Ganeti's
 * programs, then `GANETI_TS_DATA`. Else Ganeti's own socket, or where there is none, that of a server
 * with the usual data directory.
 */
export function findLuxiSocket(dataDir: string | undefined, env: NodeJS.ProcessEnv): string {
  if (dataDir !== undefined) return socketIn(dataDir);
  if (env.GANETI_ROOTDIR) return join(env.GANETI_ROOTDIR, below);
  if (env.GANETI_TS_DATA) return socketIn(env.GANETI_TS_DATA);
  if (existsSync(ganetiSocket)) return ganetiSocket;
  const usual = socketIn(usualDataDir(env));
  return existsSync(usual) ? usual : ganetiSocket;
}

/**
 * With Ganeti's files, the socket is where they are. Else the data directory has a root folder for each host that has
 * been its master; one has a socket, unless its path were too long: then it is in the data directory itself.
 */
function socketIn(dataDir: string): string {
  const root = rootOfFiles(join(dataDir, "adopted.json"));
  if (root !== undefined) return join(root, below);
  const roots = join(dataDir, "vroot");
  const sockets = [
    ...foldersIn(roots).map((host) => join(roots, host, below)),
    join(dataDir, "luxi.sock"),
  ];
  const [first] = sockets.length > 1 ? sockets : [join(roots, "MASTER", below)];
  return sockets.find(existsSync) ?? (first as string);
}

/** The root folder of a cluster that has Ganeti's files; undefined if the record names none, or cannot be read. */
function rootOfFiles(record: string): string | undefined {
  try {
    const read: unknown = JSON.parse(readFileSync(record, "utf8"));
    if (!isRecord(read) || !isRecord(read.site) || read.state === "handed back") return undefined;
    const { root = "/" } = read.site;
    return typeof root === "string" && isAbsolute(root) ? root : undefined;
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

function foldersIn(path: string): readonly string[] {
  try {
    return readdirSync(path).sort();
  } catch {
    return [];
  }
}

function usualDataDir(env: NodeJS.ProcessEnv): string {
  if (userInfo().uid === 0) return "/var/lib/ganeti-ts";
  return join(env.XDG_STATE_HOME || join(homedir(), ".local/state"), "ganeti-ts");
}
