/** `gnt-instance info`. */
import type { JsonObject } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import { Ending, ServerLacks } from "../../errors.js";
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

/** By name; of all instances if none is named. A server of Ganeti is asked about one after the other. */
async function instanceData(
  invocation: Invocation,
  names: readonly string[],
  isStatic: boolean,
): Promise<Readonly<Record<string, JsonObject>>> {
  const ask = async (instances: readonly string[]) =>
    (await runOpcode(
      invocation,
      opcode("OP_INSTANCE_QUERY_DATA", { instances, static: isStatic, use_locking: !isStatic }),
    )) as Record<string, JsonObject>;
  try {
    return await ask(names);
  } catch (error) {
    if (!(error instanceof ServerLacks)) throw error;
    const found: Record<string, JsonObject> = {};
    for (const name of names.length > 0 ? names : await allNames(invocation)) {
      Object.assign(found, await ask([name]));
    }
    return found;
  }
}

async function allNames({ cluster }: Invocation): Promise<string[]> {
  const { data } = await cluster.query("instance", ["name"], null);
  return data.map(([name]) => String(name?.[1]));
}
