/** What is worked out about a job once, for as long as its opcodes stay the same. */
import {
  type FilterRule,
  isJsonObject,
  JobId,
  type Json,
  type JsonObject,
} from "@ganeti-ts/protocol";

/** One entry of a reason trail; anything else in a trail is passed over. */
export interface Reason {
  readonly source: string;
  readonly reason: string;
  readonly timestamp: number | bigint;
}

/** A limit that a reason text sets: at most `limit` jobs with this very text at the same time. */
export interface Bucket {
  readonly text: string;
  readonly limit: number;
}

/** Which rule applied, by which chain, when the opcodes were those of job `id`. */
export interface Judgement {
  readonly by: object;
  readonly id: JobId;
  readonly rule: FilterRule | undefined;
}

/** Facts of a job that rules and rate limits need, extracted once from its opcodes. */
export interface JobFacts {
  readonly opcodes: readonly JsonObject[];
  /** Of all opcodes, in order. */
  readonly reasons: readonly Reason[];
  /** Each once. */
  readonly buckets: readonly Bucket[];
  /** Every job that an opcode depends on, by absolute id, each once. */
  readonly dependencies: readonly JobId[];
  /** The last one. Kept here because nothing else lives exactly as long as the opcodes. */
  judgement: Judgement | undefined;
}

const factsByInputs = new WeakMap<readonly Json[], JobFacts>();

/** Of a job's opcodes as submitted. Cost: the size of the job the first time, constant after that. */
export function jobFacts(inputs: readonly Json[]): JobFacts {
  const known = factsByInputs.get(inputs);
  if (known !== undefined) return known;
  const opcodes = inputs.filter(isOpcode);
  const reasons = opcodes.flatMap(reasonsOf);
  const texts = new Set(reasons.map(({ reason }) => reason));
  const facts: JobFacts = {
    opcodes,
    reasons,
    buckets: [...texts].flatMap((text) => bucketOf(text) ?? []),
    dependencies: [...new Set(opcodes.flatMap(dependenciesOf))],
    judgement: undefined,
  };
  factsByInputs.set(inputs, facts);
  return facts;
}

/**
 * The bucket that a reason text names: `rate-limit:<n>:<label>` from its very start, n in ASCII digits
 * and above 0, the label any text. Buckets differ when their texts do.
 */
export function bucketOf(text: string): Bucket | undefined {
  const digits = /^rate-limit:([0-9]+):/.exec(text)?.[1];
  const limit = Number(digits);
  return limit > 0 ? { text, limit } : undefined;
}

function isOpcode(input: Json): input is JsonObject {
  return isJsonObject(input) && typeof input.OP_ID === "string";
}

function reasonsOf(opcode: JsonObject): readonly Reason[] {
  const trail = opcode.reason;
  if (!Array.isArray(trail)) return [];
  return (trail as readonly Json[]).flatMap((entry) => reasonOf(entry) ?? []);
}

function reasonOf(entry: Json): Reason | undefined {
  if (!Array.isArray(entry)) return undefined;
  const [source, reason, timestamp] = entry as readonly Json[];
  if (typeof source !== "string" || typeof reason !== "string") return undefined;
  if (typeof timestamp !== "number" && typeof timestamp !== "bigint") return undefined;
  return { source, reason, timestamp };
}

function dependenciesOf(opcode: JsonObject): readonly JobId[] {
  const depends = opcode.depends;
  if (!Array.isArray(depends)) return [];
  return (depends as readonly Json[]).flatMap((dependency) => {
    const job = JobId.safeParse(Array.isArray(dependency) ? dependency[0] : undefined);
    return job.success ? [job.data] : [];
  });
}
