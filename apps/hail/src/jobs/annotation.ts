/** Common parameters of submitted opcodes: submitter, comment, reason and priority. */
import { type Json, nanosecondsOf, type SubmitPriority } from "@ganeti-ts/protocol";
import { ganetiVersion } from "../version.js";
import type { Opcode } from "./job-runner.js";

export interface Annotation {
  /** The program's name. */
  readonly source: string;
  readonly comment: string;
  /** Value of `--reason`. */
  readonly reason: string | undefined;
  /** A second entry of the trail: the finding behind these opcodes. */
  readonly why?: string | undefined;
  readonly priority?: SubmitPriority | undefined;
  /** Microseconds since the epoch. */
  readonly nowMicros: number;
}

/** Returns a function that inserts the common parameters before an opcode's own, in Ganeti's order. */
export function annotating(annotation: Annotation) {
  const { source, comment, reason, why, priority = 0, nowMicros } = annotation;
  const text = reason ?? `${source} ${ganetiVersion} called`;
  const common = {
    priority,
    depends: null,
    comment,
    reason: [text, ...(why === undefined ? [] : [why])].map((one) => [
      ...[source, one, nanosecondsOf(nowMicros)],
    ]),
  } satisfies Record<string, Json>;
  return (opcode: Opcode): Opcode => ({ ...common, ...opcode });
}
