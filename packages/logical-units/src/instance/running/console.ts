/** OP_INSTANCE_CONSOLE: how to get at the console of a running instance. */
import { filledGroupNdparams, groupOf, hypervisorOnNode, instanceOnNode } from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import { ask, valueOrFail } from "../../unit/calls.js";
import { asShared, instanceLock } from "../../unit/locks.js";
import type { Unit } from "../../unit/unit.js";
import { namedRealInstance, nodeName } from "../state.js";
import { checkNodeOnline } from "./node-checks.js";

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
