/** Where the server keeps its things. */
import { mkdirSync, symlinkSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { join } from "node:path";

export interface DataDirectory {
  readonly path: string;
  /** Certificate and key of the API. */
  readonly certificate: string;
  readonly users: string;
  readonly socket: string;
  /** Jobs and configuration, where no other store is named. */
  readonly database: string;
  /** What simulated nodes are like, where no other store is named. */
  readonly nodes: string;
  /** The process that serves it, while one does. */
  readonly pid: string;
}

/** `given`, else `GANETI_TS_DATA`, else what is usual for root and for others. */
export function dataPath(given: string | undefined, env: NodeJS.ProcessEnv): string {
  if (given !== undefined) return given;
  if (env.GANETI_TS_DATA) return env.GANETI_TS_DATA;
  if (userInfo().uid === 0) return "/var/lib/ganeti-ts";
  return join(env.XDG_STATE_HOME || join(homedir(), ".local/state"), "ganeti-ts");
}

/** Makes what is missing; nobody else may look in. The users file is also found under its older name. */
export function openDataDirectory(path: string): DataDirectory {
  mkdirSync(join(path, "rapi"), { recursive: true, mode: 0o750 });
  try {
    symlinkSync("rapi/users", join(path, "rapi_users"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return {
    path,
    certificate: join(path, "rapi.pem"),
    users: join(path, "rapi", "users"),
    socket: join(path, "rapi.sock"),
    database: join(path, "cluster.db"),
    nodes: join(path, "nodes"),
    pid: join(path, "rapi.pid"),
  };
}
