/** Query of a page: the first rows after a place in the order of names, at a cost that follows the rows. */
import type { Snapshot } from "@ganeti-ts/config";
import { naturalKey } from "@ganeti-ts/protocol";
import {
  decodeFilter,
  type Filter,
  FilterError,
  planQuery,
  type QueryResult,
} from "@ganeti-ts/query";
import { type FieldContext, queryFields } from "./field.js";
import type { NamedKind, NameOrders, NamePlace } from "./name-order.js";
import { liveFor, type QueryDeps } from "./query-resource.js";
import { type Resource, resources } from "./resources.js";

/** Which part of the rows a page has. */
export interface PageOptions {
  /** Most rows of the page. */
  readonly limit: number;
  /** `next` of the page before; absent for the first page. */
  readonly after?: string | undefined;
  /** Called between pieces of work; a promise is waited for, so that other work has its turn. */
  readonly pause?: () => Promise<void> | undefined;
}

/** A table, and where the next page begins; null after the last object. */
export interface QueryPage extends QueryResult {
  readonly next: string | null;
}

/** Sources of a page; the orders are kept from page to page. */
export interface PageDeps extends Omit<QueryDeps, "queue" | "architecture"> {
  readonly orders: NameOrders;
}

interface Item {
  readonly uuid: string;
}

/** Items that are judged in one piece. */
const pieceSize = 256;

/**
 * The first rows that match, in natural order of names. Each page shows the cluster as it is then: an object that keeps its name
 * is on one page, whatever else changes in between. Names in a filter are compared like other values.
 *
 * Cost: the items up to the last row times the size of filter and row, and a call to each node concerned if a field needs live
 * data. A filter that an index answers examines only what this finds.
 *
 * @throws FilterError as `queryResource`; `wrong_value` for an `after` that is none
 */
export async function queryPage(
  deps: PageDeps,
  kind: NamedKind,
  fieldNames: readonly string[],
  qfilter: unknown,
  { limit, after, pause = () => undefined }: PageOptions,
): Promise<QueryPage> {
  const filter = decodeFilter(qfilter ?? null);
  const { now } = deps;
  const { plan, show } = planOf(now, kind, fieldNames, filter);
  const { items, start } = itemsAfter(deps, kind, filter, after);
  const data: QueryResult["data"][number][] = [];
  let at = start;
  while (at < items.length && data.length < limit) {
    await pause();
    const piece = items.slice(at, at + pieceSize);
    // The data of the last piece would say that these run nowhere.
    show(undefined);
    const passing = plan.candidates(piece);
    const some = passing.slice(0, limit - data.length);
    const isCut = some.length < passing.length;
    at += isCut ? piece.indexOf(some.at(-1) as Item) + 1 : piece.length;
    show(await liveFor(deps, kind, plan.fieldNames, some));
    data.push(...plan.answer(some).data);
  }
  const last = items[at - 1];
  const name = (item: Item) => (resources[kind] as Resource<unknown>).name(item, now);
  return {
    fields: plan.answer([]).fields,
    data,
    next: at < items.length && last !== undefined ? `${name(last)} ${last.uuid}` : null,
  };
}

/** The plan of the query, and a function that gives it the live data of the items to answer next. */
function planOf(now: Snapshot, kind: NamedKind, fieldNames: readonly string[], filter: Filter) {
  let live: FieldContext["live"];
  const context: FieldContext = {
    now,
    get live() {
      return live;
    },
  };
  const { title, nameField, name, fields } = resources[kind] as Resource<unknown>;
  const resource = {
    ...{ title, nameField, fields: queryFields(fields, context) },
    name: (item: unknown) => name(item, now),
  };
  // Within `&` names select no rows of their own, in their own order.
  const plan = planQuery(resource, fieldNames, { kind: "and", parts: [filter] });
  return {
    plan,
    show(data: FieldContext["live"]): void {
      live = data;
    },
  };
}

/** All items that may match, in order, and the number of those before the page. */
function itemsAfter(
  { now, indexes, orders }: PageDeps,
  kind: NamedKind,
  filter: Filter,
  after: string | undefined,
): { readonly items: readonly Item[]; readonly start: number } {
  const place = after === undefined ? undefined : placeIn(after);
  const found = kind === "instance" ? indexes?.candidates(now, filter) : undefined;
  if (found === undefined) {
    const order = orders[kind];
    return { items: order.items(now), start: place ? order.countUpTo(now, place) : 0 };
  }
  const { name } = resources.instance;
  const keyed = found.map((item) => ({ item, key: naturalKey(name(item, now)) }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
  const last = place && { uuid: place.uuid, key: naturalKey(place.name) };
  const before = keyed.filter(
    ({ item, key }) =>
      last !== undefined && (key < last.key || (key === last.key && item.uuid <= last.uuid)),
  );
  return { items: keyed.map(({ item }) => item), start: before.length };
}

/** @throws FilterError `wrong_value` */
function placeIn(after: string): NamePlace {
  const at = after.lastIndexOf(" ");
  if (at < 1 || at + 1 === after.length) {
    throw new FilterError("wrong_value", `'${after}' is not the 'next' of a page`);
  }
  return { name: after.slice(0, at), uuid: after.slice(at + 1) };
}
