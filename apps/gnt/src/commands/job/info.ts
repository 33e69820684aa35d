/** gnt-job info and why. */
import type { Json } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { messageText } from "../../jobs/feedback.js";
import { type Entry, Inline, Ordered, ordered, printTree, type Tree } from "../../tree.js";
import { timestampText } from "./formats.js";
import { jobId } from "./job-id.js";

const fields = [
  ...["id", "status", "ops", "opresult", "opstatus", "oplog"],
  ...["opstart", "opexec", "opend", "received_ts", "start_ts", "end_ts"],
];

type Row = Readonly<Record<string, Json>>;

export async function info({ args, cluster, out }: Invocation): Promise<ExitCode> {
  const named = args.map((one) => jobId(one, out)).map((id) => ["==", "id", id] as const);
  const { data } = await cluster.query("job", fields, ["|", ...named]);
  const rows = data.map((row) => ({
    known: row[1]?.[0] === 0,
    row: Object.fromEntries(fields.map((field, at) => [field, row[at]?.[1] ?? null])),
  }));
  if (out.json) out.document(rows.map(({ row }) => row));
  else {
    printTree(
      out,
      rows.map(({ known, row }) => (known ? jobTree(row) : `Job ID ${row.id} not found`)),
    );
  }
  return 0;
}

/** Why it does not run. */
export async function why({ args, cluster, out }: Invocation): Promise<ExitCode> {
  const [given = ""] = args;
  const id = jobId(given, out);
  const causes = await cluster.why(id);
  if (causes === undefined) {
    const status = (await cluster.job(id))?.status;
    out.document({ id, status: status ?? null, causes: [] });
    out.line(status === undefined ? `There is no job ${id}` : `Job ${id} has ended: ${status}`);
    return status === undefined ? 1 : 0;
  }
  out.document({ id, causes: causes as Json });
  if (causes.length === 0) out.line(`Nothing keeps job ${id} from running`);
  for (const { text } of causes) out.line(`Job ${id} ${text}`);
  return 0;
}

function jobTree(job: Row): Tree {
  const { received_ts: received, start_ts: started, end_ts: ended } = job;
  const column = "job_timestamp";
  const delta = span(received, ended);
  return ordered(
    ["Job ID", job.id as Json],
    ["Status", job.status as Json],
    ["Received", moment(received), column],
    ["Processing start", moment(started, received), column],
    ["Processing end", moment(ended, started), column],
    ["Total processing time", delta === undefined ? "N/A" : `${delta} seconds`],
    ["Opcodes", opcodes(job)],
  );
}

/** With the time passed since `before`. */
function moment(time: Json | undefined, before?: Json): string {
  if (time === null || time === undefined) return "unknown (None)";
  const delta = span(before, time);
  return `${timestampText(time)}${delta === undefined ? "" : ` (delta ${delta}s)`}`;
}

/** Seconds with six decimals. */
function span(from: Json | undefined, to: Json | undefined): string | undefined {
  if (!Array.isArray(from) || !Array.isArray(to)) return undefined;
  const [fromSeconds, fromMicros] = from.map(Number) as [number, number];
  const [toSeconds, toMicros] = to.map(Number) as [number, number];
  return (toSeconds - fromSeconds + (toMicros - fromMicros) / 1e6).toFixed(6);
}

const listAt = (job: Row, field: string): readonly Json[] => {
  const value = job[field];
  return Array.isArray(value) ? value : [];
};

function opcodes(job: Row): Tree {
  return listAt(job, "ops").map((opcode, at) => {
    const time = (field: string) => {
      const value = listAt(job, field)[at];
      return Array.isArray(value) ? timestampText(value) : "N/A";
    };
    const column = "opcode_timestamp";
    const entries: Entry[] = [
      ["Opcode", (opcode as { readonly OP_ID: string }).OP_ID],
      ["Status", listAt(job, "opstatus")[at] ?? null],
      ["Processing start", time("opstart"), column],
      ["Execution start", time("opexec"), column],
      ["Processing end", time("opend"), column],
      ["Input fields", opcode],
      ["Result", listAt(job, "opresult")[at] ?? null],
      ["Execution log", (listAt(job, "oplog")[at] as readonly Json[]).map(logEntry)],
    ];
    return new Ordered(entries);
  });
}

function logEntry(entry: Json): Tree {
  const [serial = null, time = null, type, message = null] = entry as readonly Json[];
  const text = messageText(String(type), message);
  return ordered(
    ["Time", timestampText(time)],
    ["Content", new Inline([serial, String(type), text])],
  );
}
