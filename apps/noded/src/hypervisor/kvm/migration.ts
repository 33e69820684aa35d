/** Live migration under KVM. */
import { join } from "node:path";
import type { InstanceOnNode, MigrationStatus } from "@ganeti-ts/node-calls";
import type { Json } from "@ganeti-ts/protocol";
import { bytesPerMib } from "@ganeti-ts/protocol";
import { faultOf, NodeFailure } from "../../failure.js";
import { lastLines } from "../../machine/last-lines.js";
import { configureInterface, interfaceVariables } from "../../network/interface-script.js";
import type { HvParams, Hypervisor, MigrationState } from "../hypervisor.js";
import { readIfThere } from "../state-files.js";
import { cleanUp } from "./cleanup.js";
import { launch } from "./launch.js";
import { count, text } from "./parameters.js";
import type { KvmPorts } from "./ports.js";
import { endProcess, processOf } from "./process.js";
import { type Qmp, withQmp } from "./qmp.js";
import { relocated, withPresentLinks } from "./relocation.js";
import { type Runtime, type RuntimeNic, readRuntime, runtimeText } from "./runtime.js";
import { loadRuntimeText, saveRuntimeText } from "./runtime-files.js";
import { hostText } from "./start-words.js";

export function migration(ports: KvmPorts): Hypervisor["migration"] {
  const { context, files } = ports;
  const isAlive = async (name: string): Promise<boolean> => (await processOf(files, name)) !== null;
  const ask = <T>(name: string, action: (qmp: Qmp) => Promise<T>): Promise<T> =>
    withQmp(files.of(name).qmp, action);
  const end = async (name: string): Promise<void> => {
    await endProcess(context, files, name);
    await cleanUp(ports, name);
  };
  return {
    info: ({ name }) => loadRuntimeText(ports, name),

    async accept(instance, info, target) {
      const { name, hvparams } = instance;
      if (await isAlive(name)) {
        if ((await ask(name, runState)) === "inmigrate") return;
        throw new NodeFailure(`Failed to start instance ${name}: already running`);
      }
      const runtime = runtimeHere(ports, instance, info);
      await launch(ports, { instance, runtime, incoming: target });
      await ask(name, (qmp) => setCapabilities(qmp, hvparams, true)).catch(async (error) => {
        await end(name);
        throw error;
      });
    },

    async begin({ name, hvparams }, target, isLive) {
      if (!(await isAlive(name))) throw new NodeFailure("Instance not running, cannot migrate");
      await ask(name, async (qmp) => {
        if (["active", "completed"].includes(statusOf(await progress(qmp)))) return;
        if (!isLive) await qmp.execute("stop");
        await setParameters(qmp, hvparams);
        await setCapabilities(qmp, hvparams, true);
        const port = count(hvparams, "migration_port", 8102);
        await qmp.execute("migrate", { uri: `tcp:${hostText(target)}:${port}` });
      });
    },

    status: ({ name, hvparams }) => ask(name, (qmp) => migrationState(qmp, hvparams)),

    async endOnSource({ name, hvparams }, isSuccess) {
      if (isSuccess || !(await isAlive(name))) return end(name);
      await ask(name, async (qmp) => {
        if (["setup", "active"].includes((await progress(qmp)).status ?? "")) {
          await qmp.execute("migrate_cancel");
        }
        await qmp.execute("cont");
        await setCapabilities(qmp, hvparams, false);
      });
    },

    async endOnTarget(instance, info, isSuccess) {
      const { name, hvparams } = instance;
      if (!isSuccess) return end(name);
      if (!(await isAlive(name))) {
        const { log } = files.of(name);
        const lines = (await lastLines(log)).join("\n");
        throw new NodeFailure(`Instance ${name} has ended, last lines in ${log}:\n${lines}`);
      }
      const runtime = runtimeHere(ports, instance, info);
      await saveRuntimeText(ports, name, runtimeText(runtime));
      await connectRouted(ports, instance, runtime.nics);
      await ask(name, (qmp) => setCapabilities(qmp, hvparams, false));
    },
  };
}

/** The runtime of the source, with the paths of this node. */
function runtimeHere({ files, links }: KvmPorts, instance: InstanceOnNode, info: Json): Runtime {
  const source = readRuntime(textOf(info));
  const moved = relocated(source, files.of(instance.name), files.logs);
  return withPresentLinks(moved, instance, links);
}

function textOf(info: Json): string {
  if (typeof info === "string") return info;
  throw new NodeFailure("The data of the source is no text");
}

const runState = async (qmp: Qmp): Promise<string> =>
  ((await qmp.execute("query-status")) as { status: string }).status;

async function setParameters(qmp: Qmp, hvparams: HvParams): Promise<void> {
  const bandwidth = count(hvparams, "migration_bandwidth", 32) * bytesPerMib;
  await qmp.execute("migrate-set-parameters", {
    "max-bandwidth": bandwidth,
    "downtime-limit": count(hvparams, "migration_downtime", 30),
    ...(qmp.version[0] >= 3 && { "max-postcopy-bandwidth": bandwidth }),
  });
}

const capabilitiesOf = (hvparams: HvParams): readonly string[] =>
  text(hvparams, "migration_caps")
    .split(":")
    .filter((name) => name !== "");

async function setCapabilities(qmp: Qmp, hvparams: HvParams, state: boolean): Promise<void> {
  const capabilities = capabilitiesOf(hvparams).map((capability) => ({ capability, state }));
  if (capabilities.length > 0) await qmp.execute("migrate-set-capabilities", { capabilities });
}

interface Progress {
  readonly status?: string;
  readonly ram?: {
    readonly transferred: number;
    readonly total: number;
    readonly "dirty-sync-count"?: number;
  };
}

/** Run states of QEMU at the source after the instance has been transferred. */
const transferred: ReadonlySet<string> = new Set(["finish-migrate", "postmigrate"]);

/**
 * Progress of the migration away from this QEMU. QEMU also reports the incoming migration of the instance, and one after
 * which the instance was continued here, as completed: neither may be taken for the current one.
 */
async function progress(qmp: Qmp): Promise<Progress> {
  const found = (await qmp.execute("query-migrate")) as Progress;
  if (found.status !== "completed" || transferred.has(await runState(qmp))) return found;
  return {};
}

const stillActive: ReadonlySet<string> = new Set([
  ...["setup", "active", "device", "pre-switchover", "wait-unplug", "cancelling"],
  ...["postcopy-active", "postcopy-paused", "postcopy-recover"],
]);

/** Status for the call; `failed` also if no migration has begun. */
export function statusOf({ status }: Progress): MigrationStatus {
  if (status === "completed" || status === "cancelled") return status;
  return stillActive.has(status ?? "") ? "active" : "failed";
}

async function migrationState(qmp: Qmp, hvparams: HvParams): Promise<MigrationState> {
  const found = await progress(qmp);
  const { ram } = found;
  const isPostcopy = capabilitiesOf(hvparams).includes("postcopy-ram");
  const isCopiedOnce = found.status === "active" && (ram?.["dirty-sync-count"] ?? 0) >= 2;
  if (isPostcopy && isCopiedOnce) await qmp.execute("migrate-start-postcopy");
  return {
    status: statusOf(found),
    transferredMib: ram === undefined ? null : ram.transferred / bytesPerMib,
    totalMib: ram === undefined ? null : ram.total / bytesPerMib,
    ...(((isPostcopy && isCopiedOnce) || found.status === "postcopy-active") && {
      postcopyStatus: "postcopy-active",
    }),
  };
}

/** Connects routed interfaces on the target. Failures are only logged, because they must not end a running instance. */
async function connectRouted(
  { context, files }: KvmPorts,
  instance: InstanceOnNode,
  nics: readonly RuntimeNic[],
) {
  for (const [index, nic] of nics.entries()) {
    if (nic.nicparams.mode !== "routed") continue;
    const tap = await readIfThere(join(files.of(instance.name).nics, String(index)));
    const what = `${instance.name} NIC #${index}`;
    if (tap === null) {
      context.log.warn(`Failed to find host interface for ${what}: there is no file`);
      continue;
    }
    const variables = interfaceVariables(instance, nic, index, tap.trim());
    const fault = await faultOf(() => configureInterface(context, variables));
    if (fault !== null) context.log.warn(`${what}: ${fault}`);
  }
}
