// A long queue and many rules, as after a night of maintenance: most rules match no job, the last ones hold all.

import type { FilterableJob } from "@ganeti-ts/job-filter";
import { FilterRule, JobId, type Json } from "@ganeti-ts/protocol";

const opcodeNames = [
  "INSTANCE_CREATE",
  "INSTANCE_STARTUP",
  "INSTANCE_REPLACE_DISKS",
  "NODE_EVACUATE",
];

/** Jobs of one or two opcodes, each with three entries in its trail; every twentieth in a bucket. */
export function longQueue(jobCount: number): FilterableJob[] {
  return Array.from({ length: jobCount }, (_, at): FilterableJob => {
    const id = JobId.parse(at + 100);
    const inputs = Array.from({ length: 1 + (at % 2) }, (_, index): Json => {
      const name = opcodeNames[(at + index) % opcodeNames.length] as string;
      return {
        OP_ID: `OP_${name}`,
        instance_name: `web${at}.example.com`,
        beparams: { memory: 512 * (1 + (at % 8)) },
        priority: 0,
        depends: null,
        comment: null,
        reason: [
          ["gnt:client:gnt-instance", name.toLowerCase(), 1_700_000_000_000_000_000n],
          [
            "gnt:user",
            at % 20 === 0 ? `rate-limit:5:rack${at % 7}` : `ticket ${at}`,
            1_700_000_000_000_000_001n,
          ],
          [
            `gnt:opcode:${name.toLowerCase()}`,
            `job=${id};index=${index}`,
            1_700_000_000_000_000_002n,
          ],
        ],
      };
    });
    return { id, priority: (at * 7) % 3 === 0 ? 0 : 10, inputs };
  });
}

/** A quarter each about opcodes, nested parameters, reasons by regular expression, and numbers. */
export function manyRules(ruleCount: number): FilterRule[] {
  return Array.from({ length: ruleCount }, (_, at) =>
    FilterRule.parse({
      uuid: `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`,
      watermark: 0,
      priority: at,
      reason_trail: [],
      ...(at === ruleCount - 1
        ? { predicates: [["opcode", ["=~", "OP_ID", "^OP_INSTANCE_"]]], action: "PAUSE" }
        : { predicates: [quarters[at % quarters.length]?.(at)], action: "REJECT" }),
    }),
  );
}

const quarters = [
  (at: number) => [
    "opcode",
    ["&", ["==", "OP_ID", "OP_INSTANCE_CREATE"], ["==", "instance_name", `db${at}.example.com`]],
  ],
  (at: number) => ["opcode", [">", "beparams.memory", 8192 + at]],
  (at: number) => ["reason", ["=~", "reason", `^maintenance (rack|row) ${at}$`]],
  (at: number) => ["jobid", ["&", [">", "id", 0], ["<", "id", 100 - at]]],
];
