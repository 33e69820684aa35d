/** Calls about the machine itself: its figures, its files, its role in the cluster. */
import { stat } from "node:fs/promises";
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import { handlers } from "../handlers.js";
import { located } from "../machine/paths.js";
import { cryptoCalls } from "./crypto-calls.js";
import { hostsCalls } from "./etc-hosts.js";
import { fileChecks } from "./file-checks.js";
import { hooksCalls } from "./hooks-calls.js";
import { machineChecks } from "./machine-checks.js";
import { masterAddressCalls } from "./master-address.js";
import { membershipCalls } from "./membership-calls.js";
import { networkCalls } from "./network-calls.js";
import { powercycleCalls } from "./powercycle.js";
import { programCalls } from "./program-calls.js";
import { protocolVersion } from "./protocol-version.js";
import { queueCalls } from "./queue-calls.js";
import { reachChecks } from "./reach-checks.js";
import { sshChecks } from "./ssh.js";
import { sshFileChecks } from "./ssh-checks.js";
import { sshKeyCalls } from "./ssh-key-calls.js";
import { uploadCalls } from "./upload-calls.js";
import { type Checks, verificationCalls } from "./verification.js";
import { watcherCalls } from "./watcher-calls.js";

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
