/** `gnt-debug claims`. */
import type { Json } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { styleOf, tableLines } from "../../table.js";
import { timeText } from "../../time-text.js";

const columns = [
  { title: "Job", right: true },
  "Status",
  "Kind",
  "Since",
  "Nodes",
  "Instance",
  { title: "Devices", right: true },
];

export async function run({ cluster, options, out }: Invocation): Promise<ExitCode> {
  const claims = await cluster.claims();
  out.document(claims as unknown as Json);
  const rows = claims.map(({ job, job_status, kind, since, nodes, instance, devices }) => [
    ...[String(job), job_status ?? "unknown", kind, since === null ? "-" : timeText(since)],
    ...[nodes.join(","), instance ?? "-", String(devices)],
  ]);
  for (const line of tableLines(columns, rows, styleOf(options))) out.line(line);
  return 0;
}
