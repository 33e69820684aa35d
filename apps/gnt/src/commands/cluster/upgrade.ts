/**
 * gnt-cluster upgrade: reports whether the cluster is at a version already. It does not switch
 * programs.
 */
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { type Version, versionOf, whyNotUpgraded } from "./versions.js";

/** Code 0 only if nothing is left to do. */
export async function run({ options, cluster, out }: Invocation): Promise<ExitCode> {
  if (options.flag("resume") === options.has("to")) {
    throw new Ending("Precisely one of the options --to and --resume has to be given");
  }
  // There is never a half-finished upgrade; Ganeti's command prints nothing in this case either.
  if (options.flag("resume")) return 0;
  const to = options.text("to") as string;
  const wanted = versionOf(to);
  if (wanted === undefined) throw new Ending(`Could not parse version string ${to}`);
  const info = await cluster.info();
  const software = String(info.software_version);
  const current = versionOf(software) as Version;
  const why = whyNotUpgraded(wanted, current);
  if (why !== undefined) throw new Ending(`Cannot upgrade to ${to}: ${why}`);
  if (software === to || software.startsWith(`${to}.`)) {
    out.line(
      `The cluster is at version ${software}, its configuration at ${info.config_version}: nothing to upgrade`,
    );
    return 0;
  }
  throw new Ending(
    `Cannot upgrade to ${to}: this server speaks for version ${software}, and its programs are a package that` +
      " the package manager of each machine upgrades. Stop ganeti-rapi, install the package, and start it" +
      " again: it reads what the old one wrote.",
  );
}
