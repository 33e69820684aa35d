/** `gnt-filter test`: lists the jobs that a rule matches. */
import { readRuleBody, readRuleUuid, ruleChain, storedRule } from "@ganeti-ts/job-filter";
import type { FilterRule, JobId, Json } from "@ganeti-ts/protocol";
import { compilePattern, FilterError } from "@ganeti-ts/query";
import type { ExitCode } from "../../command.js";
import { prereqError } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { styleOf, tableLines } from "../../table.js";
import { predicatesOf } from "./rule-parts.js";
import { rulesOf } from "./rules.js";

interface Job {
  readonly id: JobId;
  readonly status: string;
  readonly summary: readonly string[];
  readonly inputs: readonly Json[];
}

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, out } = invocation;
  const jobs = await jobsOf(invocation);
  const rule = await ruleOf(invocation, jobs);
  const chain = ruleChain([rule], compilePattern);
  const caught = jobs.filter((job) => chain.applying({ ...job, priority: 0 }) !== undefined);
  out.document(caught.map(({ id, status, summary }) => ({ id, status, summary })));
  const columns = [{ title: "ID", right: true }, "Status", "Summary"];
  const rows = caught.map(({ id, status, summary }) => [String(id), status, summary.join(",")]);
  for (const line of tableLines(columns, rows, styleOf(options))) out.line(line);
  return 0;
}

async function jobsOf({ options, cluster }: Invocation): Promise<readonly Job[]> {
  const ended = ["success", "error", "canceled"];
  const filter = ended.map((status) => ["!", ["==", "status", status]] as const);
  const fields = ["id", "status", "summary", "ops"];
  const { data } = await cluster.query(
    "job",
    fields,
    options.flag("all") ? null : ["&", ...filter],
  );
  return data.map((row) => {
    const [id, status, summary, inputs] = row.map(([, value]) => value);
    return { id, status, summary, inputs } as Job;
  });
}

const anyUuid = "00000000-0000-4000-8000-000000000000";

/** A rule that rejects every matching job. @throws GanetiError */
async function ruleOf(invocation: Invocation, jobs: readonly Job[]): Promise<FilterRule> {
  const { args, cluster } = invocation;
  const [uuid] = args;
  const described = predicatesOf(invocation);
  if ((uuid !== undefined) === (Array.isArray(described) && described.length > 0)) {
    throw prereqError("Either a rule or its predicates must be given and never both");
  }
  const [known] = uuid === undefined ? [] : await rulesOf(cluster, [uuid]);
  if (uuid !== undefined && known === undefined) {
    throw prereqError(`Filter rule with UUID ${uuid} does not exist`, "unknown_entity");
  }
  const newest = Math.max(0, ...jobs.map(({ id }) => id));
  try {
    return storedRule(
      readRuleBody(
        { predicates: known?.predicates ?? described, action: "REJECT" },
        compilePattern,
      ),
      { uuid: readRuleUuid(anyUuid), watermark: (known?.watermark ?? newest) as JobId, now: 0n },
    );
  } catch (error) {
    if (error instanceof FilterError) throw prereqError(error.message);
    throw error;
  }
}
