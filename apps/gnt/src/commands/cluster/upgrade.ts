/** gnt-cluster upgrade: refused, for programs come from packages here. */
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";

export async function run({ options }: Invocation): Promise<ExitCode> {
  if (options.flag("resume") === options.has("to")) {
    throw new Ending("Precisely one of the options --to and --resume has to be given");
  }
  throw new Ending(
    "Cannot upgrade: the programs of this server are a package, which the package manager of each machine" +
      " upgrades. Stop ganeti-rapi, install the new package, and start it again; it reads what the old one wrote.",
  );
}
