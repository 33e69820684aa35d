/** Calls that start, inspect and end one end of a transfer. */
import { randomBytes, X509Certificate } from "node:crypto";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ExportCalls, TransferOptions, TransferStatus } from "@ganeti-ts/node-calls";
import { pause } from "@ganeti-ts/protocol";
import type { NodeContext } from "../context.js";
import { ifMissing, NodeFailure } from "../failure.js";
import { handlers } from "../handlers.js";
import { firstProgram } from "../host/file-checks.js";
import { lockFile } from "../host/file-lock.js";
import { replaceFile } from "../host/replaced-file.js";
import { timeStamp } from "../host/time-stamp.js";
import { shipped } from "../machine/shipped.js";
import { waitFor } from "../machine/wait-for.js";
import { type OsPorts, osLogPath } from "../os/os-scripts.js";
import { type PlannedEnd, plannedEnd } from "./transfer-end.js";

type Start = ExportCalls["import_start"]["arguments"];
interface Target {
  readonly host: string;
  readonly port: number;
}

export const transferCalls = (ports: OsPorts) =>
  handlers({
    import_start: (args) => start(ports, args, null),
    async export_start({ host, port, ...args }) {
      if (host === "" || port === 0) {
        throw new NodeFailure("Host and port must be specified for an export");
      }
      return start(ports, args, { host, port });
    },
    impexp_status: ({ names }) => Promise.all(names.map((name) => statusOf(folderOf(ports, name)))),
    impexp_abort: async ({ name }) => signal(ports, folderOf(ports, name), "SIGTERM"),
    impexp_cleanup: async ({ name }) => removeTransfer(ports, folderOf(ports, name)),
  });

/** Marker file in the folder of a transfer whose start has not been answered yet, so that its caller does not know its name. */
const starting = "starting";

/** Removes transfers that a dead daemon was starting. Others continue, because their callers know them. */
export async function recoverTransfers(
  ports: Pick<NodeContext, "paths" | "run" | "clock" | "log">,
): Promise<void> {
  const transfers = join(ports.paths.run, "import-export");
  for (const name of await readdir(transfers).catch(() => [])) {
    const folder = join(transfers, name);
    if (!(await stat(join(folder, starting)).catch(() => null))) continue;
    ports.log.warn(`${name}: its start was interrupted; removing it`);
    await removeTransfer(ports, folder);
  }
}

/** Ends a transfer, by force after 30 s, and removes its files. */
async function removeTransfer(
  ports: Pick<OsPorts, "run" | "clock">,
  folder: string,
): Promise<void> {
  const file = join(folder, "pid");
  for (let time = 0; (await stat(folder).catch(() => null)) !== null; time++) {
    // The lock is held during the removal, so that a program that is starting ends instead of writing to its folder.
    const lock = await lockFile(ports.run, file, 0);
    if (lock !== null) {
      if (await isRemoved(folder).finally(lock.release)) return;
      continue;
    }
    await signal(ports, folder, time < 30 ? "SIGTERM" : "SIGKILL");
    await pause(ports.clock, 1_000);
  }
}

/** Removes the folder; false if a program started by a dead daemon has just created a file there and must be ended first. */
const isRemoved = (folder: string): Promise<boolean> =>
  rm(folder, { recursive: true, force: true }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOTEMPTY") return false;
      throw error;
    },
  );

/** Folder of a transfer. Names come from callers and must not lead to other directories. */
function folderOf({ paths }: Pick<OsPorts, "paths">, name: string): string {
  if (!/^(import|export)-[-A-Za-z0-9_]+$/.test(name)) {
    throw new NodeFailure(`Invalid name of a transfer: '${name}'`);
  }
  return join(paths.run, "import-export", name);
}

async function start(ports: OsPorts, args: Start, target: Target | null): Promise<string> {
  const { clock } = ports;
  const mode = target === null ? "import" : "export";
  const { instance, component, options } = args;
  if (!/^[-A-Za-z0-9_]+$/.test(component)) {
    throw new NodeFailure(`Invalid component '${component}'`);
  }
  const planned = await plannedEnd(ports, instance, args.end, mode);
  const time = timeStamp(new Date(clock.wallMicros() / 1000));
  const name = `${mode}-${component}-${time}-${randomBytes(4).toString("hex")}`;
  const folder = folderOf(ports, name);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(join(folder, starting), "");
    const words = await wordsOf(ports, folder, target, options, planned);
    const installed = await firstProgram(
      ports.paths.lib.map((path) => join(path, "import-export")),
    );
    const program =
      installed !== undefined ? [installed] : [process.execPath, shipped("import-export.js")];
    const log = osLogPath(ports, `${mode}-${instance.os}-${instance.name}-${component}`);
    await ports.run.detach({
      program: "flock",
      args: [...lockedStart(join(folder, "pid")), ...program, ...words],
      env: planned.environment,
      outputFile: log,
    });
    await begun(ports, folder, log);
    await rm(join(folder, starting));
  } catch (error) {
    // The caller never learns the name of this transfer, so nothing else would remove it.
    await removeTransfer(ports, folder);
    throw error;
  }
  return name;
}

/**
 * Prefix of a command line that writes the pid of the program to `file`, which stays locked while the program runs. The
 * program itself, which may be Ganeti's, does not do this, and the daemon cannot, because it may end earlier.
 */
const lockedStart = (file: string): readonly string[] => [
  ...["--no-fork", "--nonblock", "--exclusive", file],
  ...["sh", "-c", 'echo $$ > "$0" && exec "$@"', file],
];

/** Time limit (ms) for the program's first status; it tests its compression before. */
const beginMs = 10_000;

async function begun(ports: OsPorts, folder: string, log: string): Promise<void> {
  const hasStatus = async () => (await stat(join(folder, "status")).catch(() => null)) !== null;
  if (await waitFor(ports, hasStatus, { everyMs: 50, forMs: beginMs })) return;
  const lines = await readFile(log, "utf8").catch(() => "");
  throw new NodeFailure(`The transfer did not start: ${lines.trim().slice(-1000)}`);
}

/** Command line of the program, which contains paths of keys but never keys. */
async function wordsOf(
  { paths }: OsPorts,
  folder: string,
  target: Target | null,
  options: TransferOptions,
  planned: PlannedEnd,
): Promise<readonly string[]> {
  const mode = target === null ? "import" : "export";
  const { keyName, caPem } = options;
  if ((keyName === null) !== (caPem === null)) {
    throw new NodeFailure("Cluster certificate can only be used for both key and CA");
  }
  if (keyName !== null && !/^[A-Za-z0-9][-A-Za-z0-9_]*$/.test(keyName)) {
    throw new NodeFailure(`Invalid name of a key: '${keyName}'`);
  }
  const server = join(paths.data, "server.pem");
  const own = keyName === null ? null : join(paths.crypto, keyName);
  const [key, cert] = own === null ? [server, server] : [join(own, "key"), join(own, "cert")];
  for (const file of [key, cert]) {
    if (!(await stat(file).catch(() => null)))
      throw new NodeFailure(`File '${file}' does not exist`);
  }
  const pem = caPem ?? new X509Certificate(await readFile(server, "utf8")).toString();
  const ca = join(folder, "ca");
  await replaceFile(ca, pem, { mode: 0o400 });
  const seconds = mode === "import" ? options.connectTimeoutSeconds : 20;
  return [
    ...[join(folder, "status"), mode, `--key=${key}`, `--cert=${cert}`, `--ca=${ca}`],
    ...(target === null ? [] : [`--host=${target.host}`, `--port=${target.port}`]),
    options.ipv6 ? "--ipv6" : "--ipv4",
    ...[`--compress=${options.compress}`, `--magic=${options.magic}`],
    ...(mode === "export" ? ["--connect-retries=10"] : []),
    `--connect-timeout=${Math.round(seconds)}`,
    ...(planned.expected === undefined ? [] : [`--expected-size=${planned.expected}`]),
    ...(planned.prefix === "" ? [] : [`--cmd-prefix=${planned.prefix}`]),
    ...(planned.suffix === "" ? [] : [`--cmd-suffix=${planned.suffix}`]),
  ];
}

/** Null for an unknown transfer. A program that died without a final status has failed. */
async function statusOf(folder: string): Promise<TransferStatus | null> {
  const text = await readFile(join(folder, "status"), "utf8").catch(ifMissing(null));
  if (text === null) return null;
  const status = JSON.parse(text);
  const exitStatus = status.exit_status ?? null;
  const isDead = exitStatus === null && !(await isAlive(folder));
  return {
    listenPort: status.listen_port ?? null,
    connected: status.connected ?? false,
    progressMib: status.progress_mbytes ?? 0,
    throughputMibPerSecond: status.progress_throughput ?? null,
    progressPercent: status.progress_percent ?? null,
    etaSeconds: status.progress_eta ?? null,
    exitStatus: isDead ? 1 : exitStatus,
    errorMessage: isDead ? "The program has died" : (status.error_message ?? null),
    recentOutput: status.recent_output ?? [],
    modifiedAt: status.mtime ?? null,
  };
}

async function pidOf(folder: string): Promise<number | null> {
  const text = await readFile(join(folder, "pid"), "utf8").catch(() => "");
  return /^\d+\s*$/.test(text) ? Number(text) : null;
}

async function isAlive(folder: string): Promise<boolean> {
  const pid = await pidOf(folder);
  // Read the status again, because the program may have written it just before it ended.
  if (pid !== null && (await stat(`/proc/${pid}`).catch(() => null)) !== null) return true;
  const text = await readFile(join(folder, "status"), "utf8").catch(() => "{}");
  return JSON.parse(text).exit_status !== undefined;
}

/** Sends a signal to the program if it still runs. The lock proves that the pid belongs to the program. */
async function signal(
  { run }: Pick<OsPorts, "run">,
  folder: string,
  name: NodeJS.Signals,
): Promise<void> {
  const pid = await pidOf(folder);
  if (pid === null) return;
  const lock = await lockFile(run, join(folder, "pid"), 0);
  if (lock !== null) return lock.release();
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
