/** `gnt-instance info`. */
import type { JsonObject } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { opcode } from "../../opcode.js";
import { printTree } from "../../tree.js";
import { instanceTree } from "./info-tree.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options, out } = invocation;
  const isAll = options.flag("all");
  if (args.length === 0 && !isAll) {
    throw new Ending(
      "No instance selected. Please pass in --all if you want to query all instances.\n" +
        "Note that this can take a long time on a big cluster.",
    );
  }
  if (args.length > 0 && isAll) throw new Ending("Cannot use --all if you specify instance names.");
  const isStatic = options.flag("static");
  const found = await runOpcode(
    invocation,
    opcode("OP_INSTANCE_QUERY_DATA", {
      ...{ instances: [...args], static: isStatic, use_locking: !isStatic },
    }),
  );
  const instances = Object.values(found as Record<string, JsonObject>);
  if (instances.length === 0) {
    out.line("No instances.");
    return 1;
  }
  const trees = instances.map((instance) => instanceTree(instance, options.flag("roman")));
  if (out.json) out.document(found);
  else printTree(out, trees);
  return 0;
}
