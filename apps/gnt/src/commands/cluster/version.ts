/** gnt-cluster version: shows the version of the server. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";

const lines = [
  ["Software version", "software_version"],
  ["Internode protocol", "protocol_version"],
  ["Configuration format", "config_version"],
  ["OS api version", "os_api_version"],
  ["Export interface", "export_version"],
  ["VCS version", "vcs_version"],
] as const;

export async function run({ cluster, out }: Invocation): Promise<ExitCode> {
  const info = await cluster.info();
  if (out.json) out.document(Object.fromEntries(lines.map(([, key]) => [key, info[key] ?? null])));
  else for (const [title, key] of lines) out.line(`${title}: ${info[key]}`);
  return 0;
}
