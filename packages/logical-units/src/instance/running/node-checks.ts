/** Checks of a node's state and of requirements of instances other than memory and disk. */
import type { Snapshot } from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import type { ForthcomingNic, Json, NicObject, NodeUuid } from "@ganeti-ts/protocol";
import { ask, valueOrFail, valueOrRefuse } from "../../unit/calls.js";
import type { UnitContext } from "../../unit/context.js";
import { info } from "../../unit/feedback.js";
import { checkHvparamSyntax } from "../parameters/hypervisor-syntax.js";
import { nodeName } from "../state.js";

export function checkNodeOnline(now: Snapshot, uuid: NodeUuid, why = "Can't use offline node") {
  if (now.node(uuid)?.offline) {
    throw new PrereqError("wrong_state", `${why}: ${nodeName(now, uuid)}`);
  }
}

export function checkNodeNotDrained(now: Snapshot, uuid: NodeUuid): void {
  if (now.node(uuid)?.drained) {
    throw new PrereqError("wrong_state", `Can't use drained node ${nodeName(now, uuid)}`);
  }
}

export function checkNodeVmCapable(now: Snapshot, uuid: NodeUuid): void {
  if (now.node(uuid)?.vm_capable === false) {
    throw new PrereqError("wrong_state", `Can't use non-vm_capable node ${nodeName(now, uuid)}`);
  }
}

/** Checks that the node has every bridge used by the NICs. */
export async function checkBridges(
  context: UnitContext,
  nics: readonly (NicObject | ForthcomingNic)[],
  node: NodeUuid,
): Promise<void> {
  const bridges = nics
    .map((nic) => ({ ...context.now.cluster.nicparams.default, ...nic.nicparams }))
    .flatMap(({ mode, link = "" }) => (mode === "bridged" ? [link] : []));
  if (bridges.length === 0) return;
  valueOrRefuse(
    await ask(context, node, "bridges_exist", { bridges }),
    `Error checking bridges on destination node '${nodeName(context.now, node)}'`,
  );
}

const vmCapable = (now: Snapshot, nodes: readonly NodeUuid[]) =>
  nodes.filter((uuid) => now.node(uuid)?.vm_capable !== false);

/** Checks that the nodes accept these hypervisor parameters; `hvparams` override the cluster's. */
export async function checkHvparams(
  context: UnitContext,
  nodes: readonly NodeUuid[],
  hypervisor: string,
  hvparams: Readonly<Record<string, Json>>,
): Promise<void> {
  const { now } = context;
  const filled = { ...now.cluster.hvparams[hypervisor], ...hvparams };
  checkHvparamSyntax(hypervisor, filled);
  for (const node of vmCapable(now, nodes)) {
    const call = { name: hypervisor, hvparams: filled };
    const answer = await ask(context, node, "hypervisor_validate_params", call);
    if (!answer.ok && answer.offline) continue;
    // Ganeti reports this and the following error as a failure of the operation.
    valueOrFail(answer, `Hypervisor parameter validation failed on node ${nodeName(now, node)}`);
  }
}

/** Checks that the nodes have the operating system and that it accepts these parameters. */
export async function checkOsparams(
  context: UnitContext,
  nodes: readonly NodeUuid[],
  os: string,
  osparams: Readonly<Record<string, Json>>,
  forceVariant: boolean,
): Promise<void> {
  const { now } = context;
  if (os === "") return;
  for (const node of vmCapable(now, nodes)) {
    const found = valueOrFail(
      await ask(context, node, "os_validate", {
        required: true,
        name: os,
        checks: ["parameters"],
        parameters: osparams,
        forceVariant,
      }),
      `OS Parameters validation failed on node ${nodeName(now, node)}`,
    );
    if (!found) {
      info(context, `OS ${os} not found on node ${nodeName(now, node)}, validation skipped`);
    }
  }
}
