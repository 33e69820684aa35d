/** Shortened node names for explanations. */
import type { CandidateField, Explanation } from "@ganeti-ts/protocol";

export const placeName = (nodes: readonly string[]): string => nodes.join("/");

/** The domain shared by all nodes of an explanation, with its leading dot; empty if there is none. */
export function commonDomain({ instances }: Explanation): string {
  const nodesOf = (field: CandidateField | undefined) => field?.nodes.map(({ node }) => node) ?? [];
  const names = instances.flatMap(({ from, to, groups, move }) => [
    ...from,
    ...to,
    ...groups.flatMap(({ field }) => nodesOf(field)),
    ...nodesOf(move?.field),
  ]);
  const [first] = names;
  const dot = first?.indexOf(".") ?? -1;
  const domain = dot < 0 ? "" : (first as string).slice(dot);
  // A suffix that could be part of a number is not treated as a domain.
  return /^\.[a-z][\w.-]*$/i.test(domain) && names.every((name) => name.endsWith(domain))
    ? domain
    : "";
}

/** The explanation with the domain removed from all its names and texts. */
export const withoutDomain = (explanation: Explanation, domain: string): Explanation =>
  domain === "" ? explanation : (shortened(explanation, domain) as Explanation);

function shortened(value: unknown, domain: string): unknown {
  if (typeof value === "string") return value.replaceAll(domain, "");
  if (Array.isArray(value)) return value.map((item) => shortened(item, domain));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, shortened(item, domain)]),
  );
}
