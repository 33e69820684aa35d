/** Facts derived from a job's opcodes, cached as long as these stay the same. */
import {
  type FilterRule,
  isJsonObject,
  JobId,
  type Json,
  type JsonObject,
} from "@ganeti-ts/protocol";

/** One entry of a reason trail; malformed entries are skipped. */
export interface Reason {
  readonly source: string;
  readonly reason: string;
  readonly timestamp: number | bigint;
}

/** A limit set by a reason text: at most `limit` jobs with exactly this text at the same time. */
export interface Bucket {
  readonly text: string;
  readonly limit: number;
}

/** Result of applying a rule chain to the opcodes of job `id`. */
interface Judgement {
  readonly by: object;
  readonly id: JobId;
  readonly rule: FilterRule | undefined;
}

/** Facts of a job that rules and rate limits need, extracted once from its opcodes. */
export interface JobFacts {
  readonly opcodes: readonly JsonObject[];
  /** Reasons of all opcodes, in order. */
  readonly reasons: readonly Reason[];
  /** Without duplicates. */
  readonly buckets: readonly Bucket[];
  /** All dependencies of its opcodes, by absolute id, without duplicates. */
  readonly dependencies: readonly JobId[];
  /** The last judgement, stored here because it must live exactly as long as the opcodes. */
  judgement: Judgement | undefined;
}

const factsByInputs = new WeakMap<readonly Json[], JobFacts>();

/** The facts of a job's submitted opcodes. Cost: the size of the job the first time, constant afterwards. */
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
 * The bucket of a reason text: `rate-limit:<n>:<label>` from the first character, with n in ASCII digits and
 * above 0, and any label. Buckets are identified by the whole text.
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
