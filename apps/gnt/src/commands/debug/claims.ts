/** `gnt-debug claims`. */
import type { Json } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { tableLines } from "../../table.js";
import { timeText } from "../../time-text.js";

const columns = [
  { title: "Job", right: true },
  { title: "Status", right: false },
  { title: "Kind", right: false },
  { title: "Since", right: false },
  { title: "Nodes", right: false },
  { title: "Instance", right: false },
  { title: "Devices", right: true },
];

export async function run({ cluster, options, out }: Invocation): Promise<ExitCode> {
  const claims = await cluster.claims();
  out.document(claims as unknown as Json);
  const rows = claims.map(({ job, job_status, kind, since, nodes, instance, devices }) => [
    ...[String(job), job_status ?? "unknown", kind, since === null ? "-" : timeText(since)],
    ...[nodes.join(","), instance ?? "-", String(devices)],
  ]);
  const style = { headers: !options.flag("no-headers"), separator: options.text("separator") };
  for (const line of tableLines(columns, rows, style)) out.line(line);
  return 0;
}
