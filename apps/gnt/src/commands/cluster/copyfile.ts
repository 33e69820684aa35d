/** gnt-cluster copyfile: refused. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { ExitCode } from "../../command.js";
import { prereqError } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { noSsh } from "./over-ssh.js";

export async function run({ args }: Invocation): Promise<ExitCode> {
  const file = resolve(args[0] as string);
  if (!existsSync(file)) throw prereqError(`No such filename '${file}'`);
  throw noSsh(`copy '${file}'`);
}
