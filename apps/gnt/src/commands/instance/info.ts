/** `gnt-instance info`. */
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { printTree } from "../../tree.js";
import { instanceData } from "../instance-data.js";
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
  const found = await instanceData(invocation, args, isStatic);
  const instances = Object.values(found);
  if (instances.length === 0) {
    out.line("No instances.");
    return 1;
  }
  const trees = instances.map((instance) => instanceTree(instance, options.flag("roman")));
  if (out.json) out.document(found);
  else printTree(out, trees);
  return 0;
}
