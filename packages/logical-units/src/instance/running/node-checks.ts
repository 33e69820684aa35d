/** Checks of a node's state and of requirements of instances other than memory and disk. */

import type { Snapshot } from "@ganeti-ts/config";
import type { ForthcomingNic, Json, NicObject, NodeUuid } from "@ganeti-ts/protocol";
import { ask, info, valueOrFail, valueOrRefuse } from "../../unit/effects.js";
import { wrongInput, wrongState } from "../../unit/refusals.js";
import type { UnitContext } from "../../unit/unit.js";
import { checkHvparamSyntax } from "../parameters/hypervisor-syntax.js";
import { nodeName } from "../state.js";

export function checkNodeOnline(now: Snapshot, uuid: NodeUuid, why = "Can't use offline node") {
  if (now.node(uuid)?.offline) wrongState(`${why}: ${nodeName(now, uuid)}`);
}

export function checkNodeNotDrained(now: Snapshot, uuid: NodeUuid): void {
  if (now.node(uuid)?.drained) wrongState(`Can't use drained node ${nodeName(now, uuid)}`);
}

export function checkNodeVmCapable(now: Snapshot, uuid: NodeUuid): void {
  if (now.node(uuid)?.vm_capable === false) {
    wrongState(`Can't use non-vm_capable node ${nodeName(now, uuid)}`);
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

/** OS parameters with defaults. */
export interface GivenOsparams {
  /** Public ones: the configuration, jobs and hooks show them. */
  readonly open: Readonly<Record<string, Json>>;
  /** Private and secret ones. */
  readonly hidden: Readonly<Record<string, Json>>;
}

/** Checks that the nodes have the operating system and that it accepts these parameters. */
export async function checkOsparams(
  context: UnitContext,
  nodes: readonly NodeUuid[],
  os: string,
  { open, hidden }: GivenOsparams,
  forceVariant: boolean,
): Promise<void> {
  const { now } = context;
  if (os === "") return;
  const [first] = vmCapable(now, nodes);
  if (first !== undefined) await refuseOpenSecrets(context, first, os, open);
  const osparams = { ...open, ...hidden };
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

/** Begins the help text of a parameter that must not be given in the open. */
const secretHelp = /^secret\b/i;

/** Refuses public parameters that the OS definition calls secret. The OS itself cannot tell how they were given. */
async function refuseOpenSecrets(
  context: UnitContext,
  node: NodeUuid,
  os: string,
  open: Readonly<Record<string, Json>>,
): Promise<void> {
  const names = Object.keys(open);
  if (names.length === 0) return;
  const answer = await ask(context, node, "os_diagnose", {});
  // A node that does not answer fails the validation, too.
  const known = answer.ok
    ? answer.value.find(({ name }) => name === os.split("+", 1)[0])
    : undefined;
  const secrets = known?.parameters.filter(([, help]) => secretHelp.test(help)) ?? [];
  const [found] = secrets.filter(([name]) => names.includes(name));
  if (found === undefined) return;
  const [name] = found;
  wrongInput(
    `Parameter ${name} of OS ${os} is a secret: give it with --os-parameters-secret ` +
      "(osparams_secret), or to keep it, with --os-parameters-private (osparams_private); the value " +
      "given now is readable in this job, so choose another one",
  );
}
