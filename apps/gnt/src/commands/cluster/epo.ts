/** gnt-cluster epo: switches instances and nodes off in an emergency, and on again. */
import type { JsonObject } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { runJobs, runOpcode } from "../../jobs/follow.js";
import { given } from "../../opcode.js";
import { confirmMany } from "../confirm-many.js";
import { byName, type Values } from "../named.js";
import type { PowerAnswer } from "../node/power-rows.js";
import { type EpoPlan, epoPlan } from "./epo-plan.js";
import { untilReachable } from "./reachable.js";

const nodeFields = ["name", "master", "pinst_list", "sinst_list", "powered", "offline"];

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, out } = invocation;
  const all = options.flag("all");
  const on = options.flag("on");
  const plan = epoPlan(await nodesOf(invocation), { on, all });
  for (const line of plan.remarks) out.line(line);
  const affected = { names: plan.nodes, what: "nodes", doing: "epo" };
  if (!(await confirmMany(invocation, "force", affected))) return 1;
  return on ? switchOn(invocation, plan) : switchOff(invocation, plan);
}

/** @throws Ending for conflicting arguments */
async function nodesOf(invocation: Invocation): Promise<readonly Values[]> {
  const { args, options } = invocation;
  const all = options.flag("all");
  if (options.flag("groups") && all) {
    throw new Ending("Only one of --groups or --all are allowed");
  }
  if (args.length > 0 && all) {
    throw new Ending("Arguments in combination with --all are not allowed");
  }
  if (!options.flag("groups")) return byName(invocation, "node", nodeFields, args);
  const groups = await byName(invocation, "group", ["name", "node_list"], args);
  const names = groups.flatMap(({ node_list }) => node_list as string[]);
  return names.length === 0 ? [] : byName(invocation, "node", nodeFields, names);
}

async function switchOff(invocation: Invocation, plan: EpoPlan): Promise<ExitCode> {
  const { options } = invocation;
  const stopped = await instanceJobs(invocation, [...plan.instances.keys()], {
    submitting: "shutdown",
    done: "stopped",
    doing: "stopping",
    opcode: {
      OP_ID: "OP_INSTANCE_SHUTDOWN",
      no_remember: true,
      ...given({ timeout: options.integer("shutdown-timeout") }),
    },
  });
  if (!stopped) {
    throw new Ending("Please investigate and stop instances manually before continuing");
  }
  const done = await power(invocation, plan.switched, "power-off");
  if (plan.kept !== undefined) {
    throw new Ending(
      `${plan.kept} is the master node, which does not switch itself off: switch it off by hand, as the last one`,
    );
  }
  return done ? 0 : 1;
}

async function switchOn(invocation: Invocation, plan: EpoPlan): Promise<ExitCode> {
  const { out } = invocation;
  if (!(await power(invocation, plan.switched, "power-on"))) {
    out.error("Not all nodes seem to get back up, investigate and start manually if needed");
  }
  out.line("Waiting until all nodes are available again");
  const waiting = new Map(plan.instances);
  const done = await untilReachable(invocation, plan.nodes, async (up) => {
    const ready = [...waiting].filter(([, nodes]) => [...nodes].every((node) => up.has(node)));
    for (const [name] of ready) waiting.delete(name);
    if (ready.length === 0) return true;
    return instanceJobs(
      invocation,
      ready.map(([name]) => name),
      {
        submitting: "startup",
        done: "started",
        doing: "starting",
        opcode: { OP_ID: "OP_INSTANCE_STARTUP" },
      },
    );
  });
  if (done) return 0;
  throw new Ending("Please investigate and start stopped instances manually");
}

/** Whether all nodes answered. */
async function power(
  invocation: Invocation,
  nodes: readonly string[],
  command: "power-on" | "power-off",
): Promise<boolean> {
  if (nodes.length === 0) return true;
  const { options, out } = invocation;
  const answers = (await runOpcode(invocation, {
    OP_ID: "OP_OOB_COMMAND",
    node_names: [...nodes],
    command,
    ignore_status: true,
    ...given({
      timeout: options.integer("oob-timeout"),
      power_delay: options.number("power-delay"),
    }),
  })) as PowerAnswer[];
  const bad = answers.filter(([, [status]]) => status !== 0);
  for (const [[, name]] of bad) {
    out.error(`There was a problem changing power for ${name}, please investigate`);
  }
  return bad.length === 0;
}

interface InstanceJobs {
  readonly opcode: { readonly OP_ID: string } & JsonObject;
  readonly submitting: string;
  readonly done: string;
  readonly doing: string;
}

/** Runs one job for each instance; whether all of them succeeded. */
async function instanceJobs(
  invocation: Invocation,
  names: readonly string[],
  { opcode, submitting, done, doing }: InstanceJobs,
): Promise<boolean> {
  const { out } = invocation;
  for (const name of names) out.line(`Submit ${submitting} of instance ${name}`);
  const ends = await runJobs(
    invocation,
    names.map((name) => ({ name, opcodes: [{ ...opcode, instance_name: name }] })),
  );
  const bad = ends.filter(({ ok }) => !ok).length;
  if (bad === 0) out.line(`All instances have been ${done} successfully`);
  else {
    out.error(
      `There were errors while ${doing} instances:\n${bad} error(s) out of ${ends.length} instance(s)`,
    );
  }
  return bad === 0;
}
