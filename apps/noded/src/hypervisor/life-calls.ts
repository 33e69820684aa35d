/** Calls that start, stop and reboot instances, and change their memory. */

import { join } from "node:path";
import type { InstanceOnNode, NodeCallArguments } from "@ganeti-ts/node-calls";
import { pause, writeJson } from "@ganeti-ts/protocol";
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import { handlers } from "../handlers.js";
import { waitFor } from "../machine/wait-for.js";
import { attempt } from "../storage/failures.js";
import type { Hypervisors } from "./hypervisors.js";
import type { InstanceDisks } from "./instance-disks.js";
import { asFileName, makeFolder, replaceFile } from "./state-files.js";

interface Ports {
  readonly context: NodeContext;
  readonly hypervisors: Hypervisors;
  readonly disks: InstanceDisks;
}

/** Interval (ms) of repeated shutdown requests to a guest that has not ended. */
const askAgainMs = 5_000;
const lookMs = 250;

export function lifeCalls(ports: Ports) {
  const { context, hypervisors } = ports;
  return handlers({
    async instance_start({ instance, startupPaused, reason }) {
      if (await isRunning(ports, instance)) {
        context.log.info(`Instance '${instance.name}' already running, not starting`);
        return;
      }
      await start(ports, instance, startupPaused);
      await keepReason(context, instance.name, reason, "start");
    },

    async instance_shutdown({ instance, timeoutSeconds, reason }) {
      if (await shutDown(ports, instance, timeoutSeconds)) {
        await keepReason(context, instance.name, reason, "shutdown");
      }
    },

    async instance_reboot({ instance, type, shutdownTimeoutSeconds, reason }) {
      const { name } = instance;
      if (!(await isRunning(ports, instance))) {
        throw new NodeFailure(`Cannot reboot instance '${name}' that is not running`);
      }
      if (type === "soft") {
        await attempt(`Failed to soft reboot instance '${name}'`, async () => {
          await ports.disks.attach(instance);
          await hypervisors(instance.hypervisor).reboot(instance);
        });
      } else {
        await attempt(`Failed to hard reboot instance '${name}'`, async () => {
          await shutDown(ports, instance, shutdownTimeoutSeconds);
          await start(ports, instance, false);
        });
      }
      await keepReason(context, name, reason, "reboot");
    },

    async instance_balloon_memory({ instance, memoryMib }) {
      if (!(await isRunning(ports, instance))) {
        context.log.info(`Instance '${instance.name}' is not running, cannot balloon`);
        return;
      }
      await attempt("Failed to balloon instance memory", () =>
        hypervisors(instance.hypervisor).balloon(instance, memoryMib),
      );
    },
  });
}

async function isRunning({ hypervisors }: Ports, instance: InstanceOnNode): Promise<boolean> {
  return (await hypervisors(instance.hypervisor).list()).includes(instance.name);
}

/** Starts an instance; if that fails, removes the links to its disks. */
async function start(ports: Ports, instance: InstanceOnNode, isPaused: boolean): Promise<void> {
  const { hypervisors, disks } = ports;
  const hypervisor = hypervisors(instance.hypervisor);
  const attached = await attempt("Block device error", () => disks.attach(instance));
  try {
    await attempt("Hypervisor error", () => hypervisor.start(instance, attached, isPaused));
  } catch (error) {
    await disks.detach(instance);
    throw error;
  }
}

/** Requests a shutdown until the timeout, then ends the instance. False if it was not running. */
async function shutDown(
  ports: Ports,
  instance: InstanceOnNode,
  timeoutSeconds: number,
): Promise<boolean> {
  const { context, hypervisors, disks } = ports;
  const { name } = instance;
  const hypervisor = hypervisors(instance.hypervisor);
  if ((await hypervisor.info(name)) === null) {
    context.log.info(`Instance '${name}' not running, doing nothing`);
    return false;
  }
  const hasEnded = async (): Promise<boolean> => !(await isRunning(ports, instance));
  const end = context.clock.now() + timeoutSeconds * 1000;
  for (let isRepeated = false; ; isRepeated = true) {
    if (await hasEnded()) break;
    await stopOnce(ports, instance, { force: false, isRepeated, timeoutSeconds });
    const left = end - context.clock.now();
    if (left <= 0) break;
    await waitFor(context, hasEnded, { everyMs: lookMs, forMs: Math.min(askAgainMs, left) });
  }
  if (!(await hasEnded())) {
    context.log.warn(`Shutdown of '${name}' unsuccessful, forcing it`);
    await stopOnce(ports, instance, { force: true, isRepeated: true, timeoutSeconds });
    await pause(context.clock, 1_000);
    if (!(await hasEnded())) {
      throw new NodeFailure(`Could not shutdown instance '${name}' even by destroy`);
    }
  }
  await hypervisor.cleanUp(name);
  await disks.detach(instance);
  return true;
}

/** Stops the instance once; a failure is ignored if the instance has ended meanwhile. */
async function stopOnce(
  ports: Ports,
  instance: InstanceOnNode,
  options: {
    readonly force: boolean;
    readonly isRepeated: boolean;
    readonly timeoutSeconds: number;
  },
): Promise<void> {
  const what = options.force ? "force stop" : "stop";
  try {
    await attempt(`Failed to ${what} instance '${instance.name}'`, () =>
      ports.hypervisors(instance.hypervisor).stop(instance, options),
    );
  } catch (error) {
    if (await isRunning(ports, instance)) throw error;
  }
}

type Reason = NonNullable<NodeCallArguments<"instance_start">["reason"]>;

/** Stores the reason trail of a call, followed by an entry of this daemon. */
export async function keepReason(
  { paths, clock }: Pick<NodeContext, "paths" | "clock">,
  instance: string,
  reason: Reason | undefined,
  what: "start" | "shutdown" | "reboot",
): Promise<void> {
  const folder = join(paths.run, "instance-reason");
  await makeFolder(folder, 0o755);
  const entry = [`gnt:daemon:noded:${what}`, "", BigInt(Math.round(clock.wallMicros())) * 1000n];
  // A JavaScript number cannot hold all digits of a time in nanoseconds.
  const text = writeJson([...(reason ?? []), entry]);
  await replaceFile(join(folder, asFileName(instance)), text, 0o644);
}
