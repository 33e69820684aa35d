/** OP_OOB_COMMAND, OP_RESTRICTED_COMMAND and OP_NODE_POWERCYCLE: commands for whole nodes. */

import { filledNdparams, hypervisorOnNode, put, type Snapshot } from "@ganeti-ts/config";
import type { Json, NodeObject, OpcodeOf } from "@ganeti-ts/protocol";
import { isJsonObject, pause } from "@ganeti-ts/protocol";
import { ask, valueOrFail, warn } from "../unit/effects.js";
import { asExclusive, asShared, nodeLock } from "../unit/locks.js";
import { byName, namedNode, wantedNodes } from "../unit/nodes.js";
import { wrongInput, wrongState } from "../unit/refusals.js";
import { applied, areChecksAll, type Unit, type World } from "../unit/unit.js";

type Op = OpcodeOf<"OP_OOB_COMMAND">;

/** Status of each value in a row, as in queries. */
const normal = 0;
const noData = 2;
const unavailable = 3;

const notOnMaster: readonly Op["command"][] = ["power-off", "power-cycle"];
const healthStatuses: readonly Json[] = ["OK", "WARNING", "CRITICAL", "UNKNOWN"];

/** OP_OOB_COMMAND: power and health of nodes, through their out-of-band program. */
export const oobCommand: Unit<"OP_OOB_COMMAND"> = {
  opcode: "OP_OOB_COMMAND",

  locks: ({ node_names }, now) =>
    asExclusive(...wantedNodes(now, node_names).map(({ uuid }) => nodeLock(uuid))),

  async run(op, world) {
    const nodes = nodesFor(op, world.config.snapshot);
    if (await areChecksAll(world, op)) return null;
    const rows: Json[] = [];
    for (const [position, node] of nodes.entries()) {
      const [status, value] = await outcomeOn(op, world, node);
      rows.push([
        [normal, node.name],
        [status, value],
      ]);
      const isLast = position === nodes.length - 1;
      if (status === normal && op.command === "power-on" && !isLast) {
        await pause(world.clock, op.power_delay * 1000, world.signal);
      }
    }
    return rows;
  },
};

/** In order of names; all nodes, without the master for commands that would turn it off. */
function nodesFor(op: Op, now: Snapshot): readonly NodeObject[] {
  const { master_node } = now.cluster;
  const master = now.node(master_node);
  const isBarred = notOnMaster.includes(op.command);
  const isAll = op.node_names.length === 0;
  const wanted = wantedNodes(now, op.node_names).filter(
    ({ uuid }) => !(isAll && isBarred && uuid === master_node),
  );
  if (isBarred && master && wanted.some(({ uuid }) => uuid === master_node)) {
    const program = filledNdparams(now, master).oob_program;
    const hint =
      program === ""
        ? "it does not support out-of-band operations"
        : `run '${program} ${op.command} ${master.name}' if you want to operate on the master regardless`;
    wrongInput(
      `Operating on the master node ${master.name} is not allowed for ${op.command}; ${hint}`,
    );
  }
  for (const { name, offline } of wanted) {
    if (op.command === "power-off" && !op.ignore_status && !offline) {
      wrongState(`Cannot power off node ${name} because it is not marked offline`);
    }
  }
  return byName(wanted);
}

async function outcomeOn(op: Op, world: World, node: NodeObject): Promise<[number, Json]> {
  const now = world.config.snapshot;
  const program = filledNdparams(now, node).oob_program;
  if (program === "") return [unavailable, null];
  const answer = await ask(world, now.cluster.master_node, "run_oob", {
    program,
    command: op.command,
    node: node.name,
    timeoutSeconds: op.timeout,
  });
  if (!answer.ok) {
    warn(world, `Out-of-band RPC failed on node '${node.name}': ${answer.message}`);
    return [noData, null];
  }
  const payload = answer.value;
  const fault = faultOf(op, payload);
  if (fault !== undefined) {
    const text = `Check of out-of-band payload failed due to ${fault}`;
    warn(world, `Payload returned by node '${node.name}' is not valid: ${text}`);
    return [noData, null];
  }
  if (op.command === "health") reportHealth(world, node, payload as [string, Json][]);
  if (op.command === "power-on" || op.command === "power-off") {
    await setPowered(world, node, op.command === "power-on");
  }
  return [normal, payload];
}

function faultOf({ command }: Op, payload: Json): string | undefined {
  switch (command) {
    case "health": {
      if (!Array.isArray(payload)) {
        return `command 'health' is expected to return a list but got ${typeof payload}`;
      }
      const wrong = payload.find((entry) => {
        const status = Array.isArray(entry) ? (entry[1] ?? null) : null;
        return !healthStatuses.includes(status);
      });
      if (wrong === undefined) return undefined;
      const [item, status] = Array.isArray(wrong) ? wrong : [wrong, null];
      return `health item '${item}' has invalid status '${status}'`;
    }
    case "power-status":
      return isJsonObject(payload)
        ? undefined
        : `power-status is expected to return a dict but got ${typeof payload}`;
    default:
      return payload === null
        ? undefined
        : `${command} is expected to not return payload but got '${JSON.stringify(payload)}'`;
  }
}

function reportHealth(
  world: World,
  { name }: NodeObject,
  items: readonly (readonly [string, Json])[],
): void {
  for (const [item, status] of items) {
    if (status === "WARNING" || status === "CRITICAL") {
      warn(world, `Item '${item}' on node '${name}' has status '${status}'`);
    }
  }
}

async function setPowered(world: World, { uuid }: NodeObject, powered: boolean): Promise<void> {
  await applied(world, (now) => {
    const node = now.node(uuid);
    const changes =
      node === undefined || node.powered === powered ? [] : [put("node", { ...node, powered })];
    return changes;
  });
}

/** OP_RESTRICTED_COMMAND: runs one of the commands that nodes allow. */
export const restrictedCommand: Unit<"OP_RESTRICTED_COMMAND"> = {
  opcode: "OP_RESTRICTED_COMMAND",

  locks({ nodes, use_locking }, now) {
    const locks = named(now, nodes).map(({ uuid }) => nodeLock(uuid));
    return use_locking ? asExclusive(...locks) : asShared(...locks);
  },

  async run(op, world) {
    const nodes = named(world.config.snapshot, op.nodes);
    if (await areChecksAll(world, op)) return null;
    return Promise.all(
      nodes.map(async ({ uuid, name }): Promise<Json> => {
        const answer = await ask(world, uuid, "restricted_command", { command: op.command });
        if (answer.ok) return [true, answer.value];
        return [false, `Command '${op.command}' on node '${name}' failed: ${answer.message}`];
      }),
    );
  },
};

/** No nodes if none are named: a command never runs on all nodes by default. */
const named = (now: Snapshot, names: readonly string[]): readonly NodeObject[] =>
  names.map((name) => now.expectNode(name));

/** OP_NODE_POWERCYCLE: hard reboot of a node, even of an offline one. */
export const powercycleNode: Unit<"OP_NODE_POWERCYCLE"> = {
  opcode: "OP_NODE_POWERCYCLE",

  /** No locks: the job that holds the node may be the one that hangs. */
  locks: () => [],

  async run(op, world) {
    const now = world.config.snapshot;
    const node = namedNode(now, op);
    if (node.uuid === now.cluster.master_node && !op.force) {
      wrongInput("The node is the master and the force parameter was not set");
    }
    if (await areChecksAll(world, op)) return null;
    const [hypervisor = ""] = now.cluster.enabled_hypervisors;
    return valueOrFail(
      await ask(world, node.uuid, "node_powercycle", hypervisorOnNode(now, hypervisor)),
      "Failed to schedule the reboot",
    );
  },
};
