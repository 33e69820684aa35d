/** OP_INSTANCE_CONSOLE: how to get at the console of a running instance. */
import { filledGroupNdparams } from "@ganeti-ts/config";
import { ask, valueOrFail } from "../../calls.js";
import { ExecError } from "../../errors.js";
import { checkNodeOnline } from "../../instance/node-checks.js";
import { groupOf, hypervisorOnNode, instanceOnNode } from "../../instance/on-node.js";
import { namedRealInstance, nodeName } from "../../instance/state.js";
import { asShared, instanceLock } from "../../locks.js";
import type { Unit } from "../../unit.js";

const stateWords = { up: "ERROR_down", down: "ADMIN_down", offline: "ADMIN_offline" } as const;

export const consoleAccess: Unit<"OP_INSTANCE_CONSOLE"> = {
  opcode: "OP_INSTANCE_CONSOLE",

  locks: (op, now) => asShared(instanceLock(namedRealInstance(now, op))),

  async run(op, world) {
    const now = world.config.snapshot;
    const instance = namedRealInstance(now, op);
    const { primary_node: node, name, hypervisor, admin_state } = instance;
    checkNodeOnline(now, node);
    const running = valueOrFail(
      await ask(world, node, "instance_list", {
        hypervisors: [hypervisorOnNode(now, hypervisor)],
      }),
      `Can't get node information from ${nodeName(now, node)}`,
    );
    if (!running.includes(name)) {
      throw new ExecError(`Instance ${name} is not running (state ${stateWords[admin_state]})`);
    }
    const group = groupOf(now, node);
    const shown = valueOrFail(
      await ask(world, node, "instance_console", {
        ...{ instance: instanceOnNode(now, instance), nodeName: nodeName(now, node) },
        groupParameters: group === undefined ? {} : filledGroupNdparams(now, group),
      }),
      `Can't get console information from ${nodeName(now, node)}`,
    );
    return { ...noConsole, ...shown };
  },
};

/** Keys that Ganeti always sends. */
const noConsole = {
  ...{ message: null, host: null, port: null, user: null, command: null, display: null },
};
