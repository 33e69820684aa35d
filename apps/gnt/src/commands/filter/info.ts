/** `gnt-filter info`. */

import { pythonText } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { rulesOf } from "./rules.js";

export async function run({ args, cluster, out }: Invocation): Promise<ExitCode> {
  const rules = await rulesOf(cluster, args);
  out.document(rules);
  for (const { uuid, watermark, priority, predicates, action, reason_trail } of rules) {
    out.line(`UUID: ${uuid}`);
    out.line(`  Watermark: ${watermark}`);
    out.line(`  Priority: ${priority}`);
    out.line(`  Predicates: ${pythonText(predicates)}`);
    out.line(`  Action: ${pythonText(action)}`);
    out.line(`  Reason trail: ${pythonText(reason_trail)}`);
  }
  return 0;
}
