/** Launch of QEMU from a runtime; a failure at any step leaves nothing behind. */
import { join } from "node:path";
import type { InstanceOnNode } from "@ganeti-ts/node-calls";
import { bytesPerMib } from "@ganeti-ts/protocol";
import { NodeFailure } from "../../failure.js";
import { followedLog } from "../../machine/last-lines.js";
import { outputOf, reasonOf, succeeded } from "../../machine/runner.js";
import { configureInterface, interfaceVariables } from "../../network/interface-script.js";
import { machineFigures, startMemoryMib } from "../figures.js";
import type { HvParams } from "../hypervisor.js";
import { makeFolder, removeIfThere, replaceFile } from "../state-files.js";
import { cleanUp, removeInterfaces } from "./cleanup.js";
import { checkSocketPaths } from "./files.js";
import { count, flag, text } from "./parameters.js";
import { type DisplayPasswords, displayPasswords } from "./passwords.js";
import { pin } from "./pinning.js";
import type { KvmPorts } from "./ports.js";
import { endProcess, processOf } from "./process.js";
import { type Qmp, withQmp } from "./qmp.js";
import { withRunUser } from "./run-user.js";
import { hvparamsAtStart, hvparamsOfMachine, type Runtime } from "./runtime.js";
import { queueCount, type StartInput, startWords } from "./start-words.js";
import { vhostWorks } from "./vhost.js";

export interface Launch {
  readonly instance: InstanceOnNode;
  readonly runtime: Runtime;
  /** Address on which QEMU waits for a migration; null: the guest starts at once. */
  readonly incoming: string | null;
}

/** Time limit (ms) for the start of QEMU, which may have to clear all memory first. */
const startMs = 600_000;

export async function launch(
  ports: KvmPorts,
  { instance, runtime, incoming }: Launch,
): Promise<void> {
  const { files, features, context } = ports;
  const { name } = instance;
  const own = files.of(name);
  checkSocketPaths(own);
  const start = incoming === null ? hvparamsAtStart : hvparamsOfMachine;
  const hvparams = start(instance.hvparams, runtime);
  const program = await features(text(hvparams, "kvm_path"));
  const passwords = await displayPasswords(hvparams, runtime);
  await prepareFolders(ports, name, hvparams);
  await removeIfThere(own.shutdownMark);
  // Interfaces may be left of a run that ended without the daemon.
  await removeInterfaces(ports, name);
  const ownWords = await followedLog(own.log);
  const hasVhost = runtime.nics.length > 0 && (await vhostWorks(context, name, hvparams));
  try {
    await withRunUser(ports, name, hvparams, async (user) => {
      const taps = await makeTaps(ports, { instance, runtime, incoming }, hvparams);
      await execute(ports, name, {
        ...{ runtime, hvparams, features: program, files: own, taps, user, hasVhost },
        incoming:
          incoming === null
            ? null
            : // The source connects to the port in the current configuration.
              { address: incoming, port: count(instance.hvparams, "migration_port", 8102) },
      });
      await withQmp(own.qmp, (qmp) =>
        begin(ports, { instance, runtime, incoming }, { hvparams, passwords, qmp }),
      );
    });
  } catch (error) {
    const hasDied = (await processOf(files, name)) === null;
    await endProcess(context, files, name);
    await cleanUp(ports, name);
    throw hasDied ? withLines(error, own.log, await ownWords()) : error;
  }
  ports.watch.follow(name);
}

/** The error with the last lines of QEMU's log, which give the reason once QEMU has opened the log. */
function withLines(error: unknown, log: string, lines: readonly string[]): unknown {
  if (!(error instanceof NodeFailure) || lines.length === 0) return error;
  const message = `${error.message}, last lines in ${log}:\n${lines.join("\n")}`;
  return new NodeFailure(message, { cause: error });
}

async function prepareFolders(
  { files }: KvmPorts,
  name: string,
  hvparams: HvParams,
): Promise<void> {
  for (const folder of [files.pids, files.control, files.nics]) await makeFolder(folder, 0o775);
  await makeFolder(files.logs, 0o750);
  if (!flag(hvparams, "use_chroot")) return;
  await makeFolder(files.chroots, 0o775);
  await makeFolder(files.of(name).chroot, 0o700);
}

/** Creates and connects the interfaces of all NICs; a routed one on a migration's target is connected when the migration ends. */
async function makeTaps(
  { context, files, taps }: KvmPorts,
  { instance, runtime, incoming }: Launch,
  hvparams: HvParams,
): Promise<readonly string[]> {
  const folder = files.of(instance.name).nics;
  const names: string[] = [];
  for (const [index, nic] of runtime.nics.entries()) {
    const tap = await taps.make({
      instance: instance.name,
      nicName: nic.name ?? null,
      queues: queueCount(hvparams),
      async note(name) {
        await makeFolder(folder, 0o775);
        await replaceFile(join(folder, String(index)), name, 0o644);
      },
    });
    names.push(tap);
    if (incoming !== null && nic.nicparams.mode === "routed") continue;
    await configureInterface(context, interfaceVariables(instance, nic, index, tap));
  }
  return names;
}

async function execute({ context, files }: KvmPorts, name: string, input: StartInput) {
  const [program = "", ...args] = startWords(input);
  const ended = await context.run.run({ program, args, timeoutMs: startMs });
  if (!succeeded(ended)) {
    throw new NodeFailure(
      `Failed to start instance ${name}: ${reasonOf(ended)} (${outputOf(ended)})`,
    );
  }
  if (ended.stderr !== "") context.log.warn(`${name}: ${ended.stderr.trim()}`);
  if ((await processOf(files, name)) === null) {
    throw new NodeFailure(`Failed to start instance ${name}`);
  }
}

interface Ready {
  readonly hvparams: HvParams;
  readonly passwords: DisplayPasswords;
  readonly qmp: Qmp;
}

/** Completes the start of QEMU, whose guest still waits: sets passwords, pinning and memory, and starts the guest. */
async function begin(
  { context, files }: KvmPorts,
  { instance, runtime, incoming }: Launch,
  { hvparams, passwords, qmp }: Ready,
): Promise<void> {
  for (const protocol of ["vnc", "spice"] as const) {
    const password = passwords[protocol];
    if (password !== null) await qmp.execute("set_password", { protocol, password });
  }
  const found = await processOf(files, instance.name);
  if (found === null) throw new NodeFailure(`Failed to start instance ${instance.name}`);
  await pin(context, hvparams, { pid: found.pid, qmp });
  if (incoming !== null) return;
  const memoryMib = startMemoryMib(instance, machineFigures());
  if (memoryMib < Number(instance.beparams.maxmem)) {
    await qmp.execute("balloon", { value: memoryMib * bytesPerMib });
  }
  if (!runtime.words.includes("-S")) await qmp.execute("cont");
}
