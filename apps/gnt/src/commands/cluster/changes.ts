/** gnt-cluster rename, modify, queue, redist-conf and repair-disk-sizes. */
import type { Cluster } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import { prereqError } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { runJob, runOpcode, runs } from "../../jobs/follow.js";
import { endOfChildren } from "../children.js";
import { modifyOpcode } from "./modify-opcode.js";

export async function rename(invocation: Invocation): Promise<ExitCode> {
  const { options, ask, args, cluster, out } = invocation;
  const [name] = args as [string];
  const { name: before } = await cluster.info();
  const question =
    `This will rename the cluster from '${before}' to '${name}'. If you are connected over the network` +
    " to the cluster name, the operation is very dangerous as the IP address will be removed from the" +
    " node and the change may not go through. Continue?";
  if (!options.flag("force") && !(await ask.confirm(question, "--force"))) return 1;
  const after = await runOpcode(invocation, { OP_ID: "OP_CLUSTER_RENAME", name });
  if (after) out.line(`Cluster renamed from '${before}' to '${after}'`);
  return 0;
}

const lvmTemplates = ["drbd", "plain"];

export async function modify(invocation: Invocation): Promise<ExitCode> {
  const { options, out } = invocation;
  const opcode = modifyOpcode(options, (text) => out.error(text));
  const enabled = options.text("enabled-disk-templates")?.split(",");
  if (enabled !== undefined) {
    if (options.text("vg-name") && !lvmTemplates.some((one) => enabled.includes(one))) {
      out.line(
        "You specified a volume group with --vg-name, but you did not enable any of the following" +
          ` lvm-based disk templates: ${lvmTemplates.join(", ")}`,
      );
    }
    if (options.text("drbd-usermode-helper") && !enabled.includes("drbd")) {
      out.line(
        "You specified a DRBD usermode helper with  --drbd-usermode-helper while DRBD is not enabled.",
      );
    }
  }
  return endOfChildren(invocation, await runOpcode(invocation, opcode));
}

/** Shows or sets whether new jobs are accepted. */
export async function queue({ args, cluster, out }: Invocation): Promise<ExitCode> {
  const [command] = args;
  switch (command) {
    case "drain":
    case "undrain":
      await cluster.setDrained(command === "drain");
      return 0;
    case "info":
      out.line(`The drain flag is ${(await cluster.isDrained()) ? "set" : "unset"}`);
      return 0;
    default:
      throw prereqError(`Command '${command}' is not valid.`);
  }
}

/** With --yes-do-it also while the queue is drained. */
export async function redistConf(invocation: Invocation): Promise<ExitCode> {
  const { options, cluster } = invocation;
  const isHeld = options.flag("yes-do-it") && (await cluster.isDrained());
  await runJob(invocation, [{ OP_ID: "OP_CLUSTER_REDIST_CONF" }], {
    ...(isHeld ? { submitting: (submit) => undrained(cluster, submit) } : {}),
  });
  return 0;
}

/** A drained queue accepts no jobs: the drain is lifted during this one submission. */
async function undrained<Value>(cluster: Cluster, act: () => Promise<Value>): Promise<Value> {
  await cluster.setDrained(false);
  try {
    return await act();
  } finally {
    await cluster.setDrained(true);
  }
}

/** Corrects recorded disk sizes; prints nothing. */
export const repairDiskSizes = runs(({ args }) => ({
  OP_ID: "OP_CLUSTER_REPAIR_DISK_SIZES",
  instances: args,
}));
