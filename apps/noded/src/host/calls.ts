/** Calls about the machine itself: its figures, its files, its role in the cluster. */

import { existsSync, writeSync } from "node:fs";
import { readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { NodeContext } from "../context.js";
import { ifMissing, NodeFailure } from "../failure.js";
import { handlers } from "../handlers.js";
import { located } from "../machine/paths.js";
import { ownAddresses } from "./addresses.js";
import { cryptoCalls } from "./crypto-calls.js";
import { hostsCalls } from "./etc-hosts.js";
import { fileChecks } from "./file-checks.js";
import { hooksCalls } from "./hooks-calls.js";
import { masterAddressCalls } from "./master-address.js";
import { membershipCalls } from "./membership-calls.js";
import { programCalls } from "./program-calls.js";
import { queueCalls } from "./queue-calls.js";
import { reachChecks } from "./reach-checks.js";
import { replaceFile } from "./replaced-file.js";
import { sshChecks } from "./ssh.js";
import { sshFileChecks } from "./ssh-checks.js";
import { sshKeyCalls } from "./ssh-key-calls.js";
import { uploadCalls } from "./upload-calls.js";
import { type Checks, verificationCalls } from "./verification.js";

/** Effects on the machine that the daemon carries out for the calls. */
export interface MachinePorts {
  /** The node has left its cluster. */
  leave(): void;
  /** Descriptor of `/proc/sysrq-trigger`; null: the machine is never rebooted. */
  readonly rebootTrigger: number | null;
}

/** @param checks the checks of the other areas */
export function hostCalls(context: NodeContext, checks: Checks, machine: MachinePorts) {
  const { paths } = context;
  return {
    ...ownCalls(context),
    ...uploadCalls(context),
    ...queueCalls(context),
    ...watcherCalls(context),
    ...hostsCalls(context),
    ...cryptoCalls(context),
    ...hooksCalls(context),
    ...programCalls(context),
    ...membershipCalls(context, machine.leave),
    ...masterAddressCalls(context),
    ...powercycleCalls(context, machine.rebootTrigger),
    ...sshKeyCalls(context),
    ...networkCalls(context),
    ...verificationCalls(context, {
      ...machineChecks(context, paths.interfaces),
      ...fileChecks(context),
      ...reachChecks(context),
      ...sshChecks(context),
      ...sshFileChecks(context),
      ...checks,
    }),
  };
}

const ownCalls = (context: NodeContext) =>
  handlers({
    version: async () => ({ protocol: protocolVersion }),
    async master_node_name() {
      const [name] = await context.ssconf("master_node");
      if (name === undefined) throw new NodeFailure("The ssconf file of master_node is empty");
      return name;
    },
    async get_file_info({ path }) {
      const found = await stat(located(context.paths, path)).catch(() => null);
      return { exists: found !== null, sizeBytes: found?.size ?? 0 };
    },
  });

/** The release of Ganeti that this daemon implements. */
const release = "3.0.2";

const setupFaults = [
  {
    paths: ["/sys/block", "/sys/class/net"],
    // Ganeti's text [sic].
    fault:
      "The sysfs filesytem doesn't seem to be mounted under /sys, missing required directories /sys/block and /sys/class/net",
  },
  {
    paths: ["/proc/sys", "/proc/sysrq-trigger"],
    fault:
      "The procfs filesystem doesn't seem to be mounted under /proc, missing required directory /proc/sys and the file /proc/sysrq-trigger",
  },
];

const machineChecks = ({ clock }: Pick<NodeContext, "clock">, interfaces: string): Checks => ({
  version: async () => ({ version: { protocol: protocolVersion, release } }),
  time: async () => ({ wallMicros: clock.wallMicros() }),
  nodeSetup: async () => ({
    nodeSetup: setupFaults
      .filter(({ paths }) => !paths.every((path) => existsSync(path)))
      .map(({ fault }) => fault),
  }),
  bridges: async (bridges) => ({ missingBridges: await missingBridges(bridges, interfaces) }),
});

const delayMs = 5_000;
const command = Buffer.from("b");

/**
 * `trigger`: descriptor of `/proc/sysrq-trigger`, opened when the daemon started, so that a machine whose disks have
 * failed can still be rebooted; null if this daemon must not reboot the machine.
 */
export const powercycleCalls = (
  { clock, run, log }: Pick<NodeContext, "clock" | "run" | "log">,
  trigger: number | null,
) =>
  handlers({
    async node_powercycle() {
      if (trigger === null) {
        throw new NodeFailure(
          "This daemon cannot reboot its machine: /proc/sysrq-trigger is not open",
        );
      }
      clock.after(delayMs, () => {
        try {
          writeSync(trigger, command);
        } catch (error) {
          log.error(`Cannot reboot through /proc/sysrq-trigger: ${(error as Error).message}`);
          run.run({ program: "reboot", args: ["-n", "-f"] }).catch((fault: Error) => {
            log.error(`Cannot reboot: ${fault.message}`);
          });
        }
      });
      return `Reboot scheduled in ${delayMs / 1000} seconds`;
    },
  });

/** Time (s) for which an expired pause file is kept. */
const keptSeconds = 3600;

export function watcherCalls({ paths, clock, log }: Pick<NodeContext, "paths" | "clock" | "log">) {
  const path = join(paths.data, "watcher.pause");
  return handlers({
    async get_watcher_pause() {
      const text = await readFile(path, "utf8").catch(ifMissing(null));
      if (text === null) return null;
      const isNumber = /^\s*\d+\s*$/.test(text);
      if (!isNumber) log.warn(`${path} does not hold a time; removing it`);
      const until = Number(text);
      if (isNumber && until + keptSeconds >= clock.wallMicros() / 1e6) return until;
      await rm(path, { force: true });
      return null;
    },
    async set_watcher_pause({ until }) {
      if (until === null) await rm(path, { force: true });
      else await replaceFile(path, `${Math.trunc(until)}\n`, { mode: 0o644 });
    },
  });
}

/** `major * 1000000 + minor * 10000` of Ganeti 3.0. */
const protocolVersion = 3_000_000;

/** Names in `bridges` that are not bridges of this machine. */
async function missingBridges(
  bridges: readonly string[],
  folder: string,
): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const bridge of bridges) {
    const isName = /^[^/\0]+$/.test(bridge) && bridge !== "." && bridge !== "..";
    const found = isName ? await stat(join(folder, bridge, "bridge")).catch(() => null) : null;
    if (!found?.isDirectory()) missing.push(bridge);
  }
  return missing;
}

const networkCalls = (context: Pick<NodeContext, "run" | "paths">) =>
  handlers({
    async bridges_exist({ bridges }) {
      const missing = await missingBridges(bridges, context.paths.interfaces);
      if (missing.length > 0) throw new NodeFailure(`Missing bridges ${missing.join(", ")}`);
    },
    node_has_ip_address: async ({ address: wanted }) =>
      (await ownAddresses(context)).some(({ address }) => address === wanted),
  });
