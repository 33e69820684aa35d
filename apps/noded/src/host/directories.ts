/** ensureDirectories: creates the directories of a node, and corrects owners and modes of them and of their files. */
import { chmod, chown, lstat, mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { NodeContext } from "../context.js";
import { type Owner, ownerOf } from "./accounts.js";

type Ports = Pick<NodeContext, "run" | "paths" | "log">;

/** Mode, user and group. */
type Rule = readonly [mode: number, user: string, group: string];

const master = "gnt-masterd";
const daemons = "gnt-daemons";

/** Parents before their children. */
const directories = ({ data, run, log, conf, exports }: Ports["paths"]) =>
  [
    [data, 0o755, master, master],
    [join(data, "queue"), 0o750, master, daemons],
    [join(data, "queue/archive"), 0o750, master, daemons],
    [join(data, "rapi"), 0o750, "gnt-rapi", master],
    [exports, 0o750, "root", "root"],
    [conf, 0o755, "root", "root"],
    [run, 0o775, master, daemons],
    [join(run, "socket"), 0o770, master, daemons],
    [join(run, "bdev-cache"), 0o755, "root", master],
    [join(run, "instance-disks"), 0o755, "root", master],
    [join(run, "import-export"), 0o755, "root", master],
    [join(run, "uid-pool"), 0o750, "root", master],
    [join(run, "crypto"), 0o700, "root", master],
    [join(run, "instance-reason"), 0o755, "root", "root"],
    [log, 0o770, master, daemons],
    [join(log, "os"), 0o750, "root", daemons],
    [join(log, "kvm"), 0o750, "root", daemons],
    [join(log, "extstorage"), 0o750, "root", daemons],
  ] as const;

/** Rules for files of the data directory, by name; missing files are skipped. */
const files: readonly (readonly [name: RegExp, rule: Rule])[] = [
  [/^cluster-domain-secret$/, [0o640, master, master]],
  [/^config\.data$/, [0o640, master, "gnt-confd"]],
  [/^hmac\.key$/, [0o440, "gnt-confd", master]],
  [/^rapi\.pem$/, [0o440, "gnt-rapi", master]],
  [/^spice(-ca)?\.pem$/, [0o440, "root", master]],
  [/^(server|client)\.pem$/, [0o440, master, master]],
  [/^(known_hosts|watcher\.pause)$/, [0o644, master, master]],
  [/^ssconf_\w+$/, [0o444, "root", "root"]],
];

/**
 * Creates missing directories and corrects the others, as Ganeti does before each start of a daemon. Requires root, which
 * the caller checks. A link in place of a directory is left alone: the administrator has put it there.
 */
export async function ensureDirectories(ports: Ports): Promise<void> {
  const ownerByName = ownerCache(ports);
  for (const [path, ...rule] of directories(ports.paths)) {
    await mkdir(dirname(path), { recursive: true, mode: 0o755 });
    await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
    await enforce(ports, path, rule, ownerByName);
  }
  for (const name of await readdir(ports.paths.data)) {
    const rule = files.find(([pattern]) => pattern.test(name))?.[1];
    if (rule !== undefined) await enforce(ports, join(ports.paths.data, name), rule, ownerByName);
  }
}

async function enforce(
  { log }: Ports,
  path: string,
  [mode, user, group]: Rule,
  ownerByName: (user: string, group: string) => Promise<Owner>,
): Promise<void> {
  const found = await lstat(path);
  if (found.isSymbolicLink()) return;
  const { uid, gid } = await ownerByName(user, group);
  if (found.uid !== uid || found.gid !== gid) {
    log.info(`Changing owner of ${path} from ${found.uid}:${found.gid} to ${uid}:${gid}`);
    await chown(path, uid, gid);
  }
  // Must come after the change of the owner, which clears special bits.
  if ((found.mode & 0o7777) !== mode) {
    const [old, wanted] = [found.mode & 0o7777, mode].map((bits) => `0${bits.toString(8)}`);
    log.info(`Changing mode of ${path} from ${old} to ${wanted}`);
    await chmod(path, mode);
  }
}

/** Owners of pairs of user and group, each looked up once. */
function ownerCache(ports: Ports): (user: string, group: string) => Promise<Owner> {
  const known = new Map<string, Promise<Owner>>();
  return (user, group) => {
    const key = `${user}:${group}`;
    const owner = known.get(key) ?? ownerOf(ports, user, group);
    known.set(key, owner);
    return owner;
  };
}
