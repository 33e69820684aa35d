/** Jobs submitted by an operation. */
import type { JsonObject, Opcode } from "@ganeti-ts/protocol";

/**
 * The opcodes with the parent's debug level, with its priority and comment unless they have their own, and
 * with its reasons appended to theirs, so that they share its ad-hoc rate limits.
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
