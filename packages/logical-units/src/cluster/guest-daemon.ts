/** Daemon that notices when guests of kvm shut down by themselves. */
import type { NodeObject } from "@ganeti-ts/protocol";
import { ask } from "../unit/effects.js";
import type { World } from "../unit/unit.js";

/**
 * Starts the daemon on nodes that can have instances if users may shut down instances, and stops it
 * on the others. A failing node is logged; with `silent`, only if the daemon was to be started.
 */
export async function ensureGuestDaemon(
  world: World,
  nodes: readonly NodeObject[],
  { silent = false } = {},
): Promise<void> {
  const { cluster } = world.config.snapshot;
  const isUsed = cluster.enabled_hypervisors.includes("kvm") && cluster.enabled_user_shutdown;
  for (const { uuid, name, vm_capable, offline } of nodes) {
    if (offline) continue;
    const run = isUsed && vm_capable;
    const answer = await ask(world, uuid, "node_ensure_daemon", { daemon: "ganeti-kvmd", run });
    if (answer.ok || (silent && !run)) continue;
    const what = run ? "start" : "stop";
    world.log(`Failed to ${what} KVM daemon on node '${name}': ${answer.message}`);
  }
}
