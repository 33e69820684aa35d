/** gnt-node add. */
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { changeMachine, hasRealNodes, isAdopted } from "../cluster/server-program.js";
import { byName } from "../named.js";
import { reportUuid } from "../reports.js";
import { addOpcode } from "./opcodes.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options, out } = invocation;
  const [name] = args as [string];
  const [known] = await byName(invocation, "node", ["name", "sip", "master"], [name]);
  const readd = options.flag("readd");
  if (readd && known === undefined) {
    throw new Ending(`Node ${name} not in the cluster - please retry without '--readd'`);
  }
  if (readd && known?.master) throw new Ending(`Node ${name} is the master, cannot readd`);
  if (!readd && known !== undefined) {
    throw new Ending(
      `Node ${name} already in the cluster (as ${known.name}) - please retry with '--readd'`,
    );
  }
  if (options.flag("force-join")) {
    out.error('The "--force-join" option is no longer supported and will be ignored.');
  }
  const secondaryIp = readd ? (known?.sip as string) : options.text("secondary-ip");
  prepare(invocation, name, readd);
  await runOpcode(invocation, addOpcode(name, options, secondaryIp));
  if (!readd) await reportUuid(invocation, "node", name);
  return 0;
}

/** A real machine gets its daemon first, as in Ganeti; a machine that is prepared already is left as it is. */
function prepare({ options, dataDirectory, env }: Invocation, name: string, readd: boolean): void {
  const isReal = hasRealNodes(dataDirectory) || isAdopted(dataDirectory);
  if (options.has("url") || !isReal || options.flag("no-node-setup")) return;
  const address = options.text("primary-ip");
  changeMachine({ dataDirectory, env }, [
    `--prepare-node=${name}`,
    ...(address === undefined ? [] : [`--primary-ip=${address}`]),
    ...(options.flag("no-ssh-key-check") ? ["--accept-host-key"] : []),
    ...(readd ? ["--readd"] : []),
  ]);
}
