/** Jobs that an operation submits. */
import type { JsonObject, Opcode } from "@ganeti-ts/protocol";

/**
 * The opcodes with the parent's debug level, its priority and a comment where they have none, and its
 * reasons after their own: so they share its ad-hoc rate limits.
 */
export const childJobs = (
  jobs: readonly (readonly JsonObject[])[],
  parent: Opcode,
): readonly (readonly JsonObject[])[] =>
  jobs.map((opcodes) => opcodes.map((opcode) => inherit(opcode, parent)));

function inherit(opcode: JsonObject, parent: Opcode): JsonObject {
  const reason = Array.isArray(opcode.reason) ? opcode.reason : [];
  return {
    ...opcode,
    ...(parent.debug_level === undefined ? {} : { debug_level: parent.debug_level }),
    priority: opcode.priority ?? parent.priority,
    comment: opcode.comment || `Submitted by ${parent.OP_ID}`,
    reason: [...reason, ...parent.reason],
  };
}
