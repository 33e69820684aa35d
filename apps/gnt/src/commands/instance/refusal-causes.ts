/** Causes for which a node group refuses an instance: one line per cause, in words and readable units. */
import type { CandidateField, GroupExplanation, Refusal } from "@ganeti-ts/protocol";

/** Names listed per cause; the rest is counted. */
const namesMax = 3;

/** `disk is 12 MiB, the policy of group default wants at least 1 GiB` and so on; the commonest cause first. */
export function causeLines({ group, reason, field }: GroupExplanation): string[] {
  if (field === undefined) return reason === null ? [] : [reason];
  const causes = new Map<string, Refusal[]>();
  for (const refusal of refusalsOf(field)) {
    const key = `${refusal.check} ${refusal.resource ?? ""}`;
    const known = causes.get(key);
    if (known === undefined) causes.set(key, [refusal]);
    else known.push(refusal);
  }
  return [...causes.values()]
    .toSorted((a, b) => b.length - a.length)
    .map((refusals) => causeLine(refusals as [Refusal, ...Refusal[]], group));
}

/** Each refusal once: the verdicts on nodes, then those of single candidates. */
function refusalsOf({ nodes, refusals }: CandidateField): Refusal[] {
  const byText = new Map<string, Refusal>();
  const verdicts = nodes.flatMap(({ primary, secondary }) => [
    primary?.refusal,
    secondary?.refusal,
  ]);
  for (const refusal of [...verdicts, ...refusals.map((one) => one.refusal)]) {
    if (refusal != null) byText.set(`${refusal.role} ${refusal.text}`, refusal);
  }
  return [...byText.values()];
}

function causeLine(refusals: readonly [Refusal, ...Refusal[]], group: string): string {
  const [first] = refusals;
  const best = refusals.reduce((one, other) => (shortage(other) < shortage(one) ? other : one));
  const nodes = [...new Set(refusals.map(({ node }) => node))];
  switch (first.check) {
    case "policy":
      return first.value === undefined || first.limit === undefined
        ? `policy: ${refusalWords(first)}`
        : `policy: ${first.resource} is ${amount(first.value, first)}, group ${group} wants ${bound(first)}`;
    case "template":
      return `policy: ${refusalWords(first)}`;
    case "memory":
    case "reserved-memory":
    case "disk":
    case "spindles": {
      const what =
        first.check === "reserved-memory" ? "memory, with what is kept for failures" : first.check;
      return `${what}: ${needsAndFree(best)} on ${best.node}, ${nearest(nodes)}`;
    }
    case "vcpus":
    case "spindle-use":
      return `${first.check}: ${refusalWords(best)} on ${best.node}, ${nearest(nodes)}`;
    case "exclusion-tags":
    case "migration-tags": {
      const tags = [...new Set(refusals.flatMap((one) => one.tags ?? []))];
      const why = first.check === "exclusion-tags" ? "already on" : "not accepted by";
      return `${first.check.replace("-", " ")}: ${listed(tags)} ${why} ${listed(nodes)}`;
    }
    case "emptying":
      return `N+1: ${listed(nodes)} could not be emptied afterwards`;
  }
}

const bound = (refusal: Refusal): string =>
  `at ${Number(refusal.value) < Number(refusal.limit) ? "least" : "most"} ${amount(refusal.limit, refusal)}`;

const needsAndFree = (refusal: Refusal): string =>
  `${amount(refusal.value, refusal)} needed, ${amount(refusal.limit, refusal)} free`;

const nearest = (nodes: readonly string[]): string =>
  nodes.length === 1 ? "the only node" : `the nearest of ${nodes.length} nodes`;

const listed = (names: readonly string[]): string =>
  names.length > namesMax
    ? `${names.slice(0, namesMax).join(", ")} and ${names.length - namesMax} more`
    : names.join(", ");

/** Amount that a node lacks; figures that JSON cannot express come last. */
function shortage({ value, limit }: Refusal): number {
  return typeof value === "number" && typeof limit === "number"
    ? Math.abs(value - limit)
    : Number.MAX_VALUE;
}

/** Reason without node and rule: `needs 16 GiB, 10 GiB free`. */
export const refusalWords = ({ node, rule, text }: Refusal): string =>
  withReadableSizes(text.slice(node.length + rule.length + 4));

const amount = (figure: Refusal["value"], { unit }: Refusal): string => {
  if (unit === "MiB" && typeof figure === "number") return readableSize(figure);
  return `${figure ?? "unknown"}${unit === undefined || unit === "" ? "" : ` ${unit}`}`;
};

/** `12 MiB`, `1 GiB`, `20.1 GiB`, `1.5 TiB`. */
function readableSize(mebibytes: number): string {
  const units = ["MiB", "GiB", "TiB", "PiB"];
  let [size, at] = [mebibytes, 0];
  while (Math.abs(size) >= 1024 && at < units.length - 1) {
    size /= 1024;
    at += 1;
  }
  return `${Math.round(size * 10) / 10} ${units[at]}`;
}

/** Sizes in texts of the placement core, which are in MiB. */
export const withReadableSizes = (text: string): string =>
  text.replace(/(?<![\w.-])(\d+) MiB\b/g, (_, size: string) => readableSize(Number(size)));
