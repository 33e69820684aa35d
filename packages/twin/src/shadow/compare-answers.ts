/** compareAnswers: asks two remote APIs for the same resources, and reports where their answers differ. */
import { isJsonObject, type Json, writeJson } from "@ganeti-ts/protocol";
import { type Difference, differences } from "./comparison.js";
import { nameOf } from "./named-differences.js";

/** The status and the body of an answer; reads only. */
export type Ask = (path: string) => Promise<{ readonly status: number; readonly body: Json }>;

/** The two remote APIs. */
export interface Sides {
  readonly original: Ask;
  /** Reads the followed files again before each question. */
  readonly ours: Ask;
  /** Waits before the next round. */
  readonly pause: () => Promise<void>;
}

/** Result of one round. */
export interface Comparison {
  /** Number of resources. */
  readonly compared: number;
  readonly unnamed: readonly Difference[];
  /** Differences on purpose, with the reason of each. */
  readonly named: readonly (Difference & { readonly why: string })[];
}

/** Rounds in which a difference must persist before it is reported: answers of different moments differ as well. */
const roundsMax = 6;

/** Objects of each kind that a comparison also reads one by one. */
const singlesMax = 20;

const lists = ["groups", "nodes", "instances", "networks", "jobs", "filters"] as const;

/** Figures that change all the time: ours must lie between two values that the original has given. */
const movingFigures = /\.(mfree|mnode|mtotal|dfree|dtotal|oper_ram)$/;

/** @param round number of comparisons before this one, which decides the objects that are read */
export async function compareAnswers(sides: Sides, round: number): Promise<Comparison> {
  const resources = ["/version", "/2/info", "/2/features", "/2/tags"];
  for (const list of lists) resources.push(`/2/${list}`, `/2/${list}?bulk=1`);
  for (const list of lists) resources.push(...(await singles(sides.original, list, round)));
  const found = await settled(sides, resources);
  const withNames = found.map((difference) => ({ ...difference, why: nameOf(difference) }));
  return {
    compared: resources.length,
    unnamed: found.filter((_, at) => withNames[at]?.why === undefined),
    named: withNames.flatMap(({ why, ...rest }) => (why === undefined ? [] : [{ ...rest, why }])),
  };
}

/** Resources of single objects; successive comparisons read all objects in turn. */
async function singles(
  ask: Ask,
  list: (typeof lists)[number],
  round: number,
): Promise<readonly string[]> {
  const { body } = await ask(`/2/${list}`);
  const ids = (Array.isArray(body) ? body : []).flatMap((entry) => {
    const id = isJsonObject(entry) ? (entry.id ?? entry.uuid ?? entry.name) : entry;
    return typeof id === "string" || typeof id === "number" ? [encodeURIComponent(id)] : [];
  });
  const first = ids.length === 0 ? 0 : (round * singlesMax) % ids.length;
  const chosen = [...ids.slice(first), ...ids.slice(0, first)].slice(0, singlesMax);
  return chosen.flatMap((id) => {
    const path = `/2/${list}/${id}`;
    if (list === "jobs" || list === "filters") return [path];
    return [path, `${path}/tags`, ...(list === "nodes" ? [`${path}/role`] : [])];
  });
}

/** A resource whose answers differed in each round so far. */
interface Open {
  readonly resource: string;
  /** By place; undefined before the first round. */
  readonly found: ReadonlyMap<string, Difference> | undefined;
  /** Values of the original's moving figures in all rounds, by place. */
  readonly seen: Map<string, number[]>;
}

/** Differences that persist in every round; named ones need no further round. */
async function settled(sides: Sides, resources: readonly string[]): Promise<readonly Difference[]> {
  let open: readonly Open[] = resources.map((resource) => ({
    ...{ resource, found: undefined, seen: new Map<string, number[]>() },
  }));
  const named: Difference[] = [];
  for (let round = 0; round < roundsMax && open.length > 0; round++) {
    if (round > 0) await sides.pause();
    const next: Open[] = [];
    for (const one of open) {
      const all = await differing(sides, one);
      const unnamed = all.filter((difference) => nameOf(difference) === undefined);
      const isLast = unnamed.length === 0 || round === roundsMax - 1;
      if (isLast) named.push(...all.filter((difference) => nameOf(difference) !== undefined));
      if (unnamed.length === 0) continue;
      next.push({ ...one, found: new Map(unnamed.map((found) => [found.at, found])) });
    }
    open = next;
  }
  return [...open.flatMap(({ found }) => [...(found?.values() ?? [])]), ...named];
}

/** One round: differences of our answer from both of the original's answers, before and after it. */
async function differing(
  sides: Sides,
  { resource, found, seen }: Open,
): Promise<readonly Difference[]> {
  const before = await sides.original(resource);
  const ours = await sides.ours(resource);
  const after = await sides.original(resource);
  const compare = ({ status, body }: typeof before) => {
    if (status !== ours.status) return differences(resource, status, ours.status);
    return status >= 400 ? [] : differences(resource, body, ours.body);
  };
  const second = new Map(compare(after).map((one) => [one.at, one]));
  return compare(before).filter((one) => {
    const other = second.get(one.at);
    if (other === undefined || isMoving(seen, one, other)) return false;
    return found === undefined || found.has(one.at) || nameOf(one) !== undefined;
  });
}

/** Whether our figure lies between two that the original has given so far. */
function isMoving(seen: Map<string, number[]>, one: Difference, other: Difference): boolean {
  const { at, ours } = one;
  if (!movingFigures.test(at) || typeof ours !== "number") return false;
  const values = seen.get(at) ?? [];
  for (const { original } of [one, other]) if (typeof original === "number") values.push(original);
  seen.set(at, values);
  return values.some((value) => value <= ours) && values.some((value) => value >= ours);
}

/** A difference as one line of text. */
export const differenceText = ({ resource, at, original, ours }: Difference): string =>
  `${resource} ${at === "" ? "(whole answer)" : at}: original ${shown(original)}, ours ${shown(ours)}`;

const shownMax = 200;

function shown(value: Json | undefined): string {
  if (value === undefined) return "nothing";
  const text = writeJson(value);
  return text.length <= shownMax ? text : `${text.slice(0, shownMax)}…`;
}
