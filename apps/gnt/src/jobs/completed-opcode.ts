/** Common parameters of submitted opcodes: dry run, priority and reason trail. */
import type { Json } from "@ganeti-ts/protocol";
import type { OpcodeJson } from "../cluster.js";
import type { Invocation } from "../invocation.js";

const priorities: Readonly<Record<string, number>> = { low: 10, normal: 0, high: -10 };

/** From those of the options D, P and the common ones that the command has. */
export function completedOpcode(invocation: Invocation, opcode: OpcodeJson): OpcodeJson {
  const { options } = invocation;
  const priority = options.knows("priority") ? options.text("priority") : undefined;
  return {
    ...opcode,
    debug_level: options.count("debug"),
    ...(options.knows("dry-run") ? { dry_run: options.flag("dry-run") } : {}),
    ...(priority === undefined ? {} : { priority: priorities[priority] as number }),
    reason: reasonTrail(invocation),
  };
}

/** Source, reason, nanoseconds: the user's words first, then the command. */
function reasonTrail({ program, command, options, now }: Invocation): Json {
  const reason = options.text("reason");
  return [
    ...(reason ? [["gnt:user", reason, now()]] : []),
    [`gnt:client:${program}`, command, now()],
  ];
}

/** By name; undefined for an unknown name. */
export const priorityOf = (name: string | undefined): number | undefined =>
  name === undefined ? undefined : priorities[name];
