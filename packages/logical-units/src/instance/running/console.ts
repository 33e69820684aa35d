/** OP_INSTANCE_CONSOLE: returns the data needed to connect to the console of a running instance. */
import { consoleRequest, hypervisorOnNode, shownConsole } from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import { ask, valueOrFail } from "../../unit/effects.js";
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
    const request = consoleRequest(now, instance);
    const failure = `Can't get console information from ${nodeName(now, node)}`;
    const consoles = valueOrFail(
      await ask(world, node, "instance_console_info", {
        instances: request === undefined ? {} : { [name]: request },
      }),
      failure,
    );
    const found = consoles[name];
    if (found === undefined) throw new ExecError(`${failure}: no console of ${name}`);
    return { ...noConsole, ...shownConsole(found) };
  },
};

/** Keys that Ganeti always includes. */
const noConsole = {
  message: null,
  host: null,
  port: null,
  user: null,
  command: null,
  display: null,
};
