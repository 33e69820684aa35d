/** Connection for submitting jobs: to the master that the cluster was read from. */
import { DataError } from "@ganeti-ts/htools";
import { luxiPath } from "../luxi/client.js";
import type { Ports } from "../ports.js";
import type { Settings } from "../settings.js";
import type { ConnectRunner } from "./job-runner.js";
import { luxiRunner } from "./luxi-runner.js";

/** Throws a DataError if the cluster was not read from a running master. */
export async function runnerFor(
  program: string,
  settings: Settings,
  ports: Ports,
): Promise<ConnectRunner> {
  const { luxi, master } = settings;
  if (luxi !== undefined) return luxiRunner(await luxiPath(settings, ports), ports);
  if (master === "" || master.startsWith("file://")) {
    throw new DataError(`${program}: Execution of commands possible only on LUXI`);
  }
  const { rapiRunner } = await import("./rapi-runner.js");
  return rapiRunner(master);
}
