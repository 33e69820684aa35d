/** A query from its two questions, which items and which fields, to its table. */
import { compareNaturally, type FilterValue } from "@ganeti-ts/protocol";
import type { Filter } from "./filter.js";
import { fieldsOf } from "./filter.js";
import { FilterError } from "./filter-error.js";
import { isNamed, itemJudge } from "./item-judge.js";
import type { QueryField, QueryResource } from "./query-field.js";
import {
  type FieldDefinition,
  type QueryResult,
  type ResultEntry,
  resultStatus,
} from "./result.js";

/**
 * Used in this order: `candidates`, then whoever has live data collects what `fieldNames` need of
 * the candidates, then `answer`. Where nothing is live, `answer(candidates(items))` is the query.
 */
export interface QueryPlan<Item> {
  /** Every field that is shown or filtered by, known ones only. */
  readonly fieldNames: readonly string[];
  /**
   * Items that pass, or may pass once live data is there. In natural order of their names; where the
   * filter is nothing but names, in the order of these, as often as they are named.
   *
   * @throws FilterError `unknown_entity` for a name without item, `wrong_value`.
   */
  candidates(items: Iterable<Item>): Item[];
  /** @throws FilterError `wrong_value` */
  answer(items: Iterable<Item>): QueryResult;
}

/** Cost of running it: items times the size of filter and row. @throws FilterError `unknown_field` */
export function planQuery<Item>(
  resource: QueryResource<Item>,
  fieldNames: readonly string[],
  filter: Filter,
): QueryPlan<Item> {
  const judge = itemJudge(resource.fields, filter);
  const passes = (item: Item) => judge(item) !== false;
  const byName = new Map(resource.fields.map((field) => [field.definition.name, field]));
  const shown = fieldNames.map((name) => byName.get(name) ?? unknownField<Item>(name));
  const names = namesAskedFor(filter, resource);
  return {
    fieldNames: [...new Set([...fieldNames, ...fieldsOf(filter)])].filter((name) =>
      byName.has(name),
    ),
    candidates: (items) =>
      (names === undefined
        ? inNaturalOrder(resource, items)
        : named(resource, items, names)
      ).filter(passes),
    answer: (items) => ({
      fields: shown.map(({ definition }) => definition),
      data: [...items].filter(passes).map((item) => shown.map((field) => entryOf(field, item))),
    }),
  };
}

/** For callers that answer plain values, where a column without values would not show. @throws FilterError */
export function refuseUnknownFields<Item>(
  resource: QueryResource<Item>,
  names: readonly string[],
): void {
  const known = new Set(resource.fields.map(({ definition }) => definition.name));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  throw new FilterError("unknown_field", `Unknown output fields selected: ${unknown.join(", ")}`);
}

/** What can be asked about the items: the named fields, or all in natural order. */
export function fieldDefinitions<Item>(
  resource: QueryResource<Item>,
  names?: readonly string[],
): readonly FieldDefinition[] {
  const definitions = resource.fields.map(({ definition }) => definition);
  if (names === undefined || names.length === 0) {
    return definitions.sort((a, b) => compareNaturally(a.name, b.name));
  }
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  return names.map((name) => byName.get(name) ?? unknownField(name).definition);
}

/** A column that was asked for and does not exist: there, but without values. */
function unknownField<Item>(name: string): QueryField<Item> {
  return {
    definition: { name, title: name, kind: "unknown", doc: `Unknown field '${name}'` },
    entry: () => [resultStatus.unknown, null],
  };
}

function entryOf<Item>(field: QueryField<Item>, item: Item): ResultEntry {
  const [status, value] = field.entry(item) ?? [resultStatus.noData, null];
  return [status, status === resultStatus.normal ? value : null];
}

/** What a filter made of nothing but `|` of `==` on the name asks for; at least one name. */
function namesAskedFor<Item>(
  filter: Filter,
  resource: QueryResource<Item>,
): readonly string[] | undefined {
  const names = namesIn(filter, resource.nameField);
  const field = resource.fields.find(({ definition }) => definition.name === resource.nameField);
  const numbers = field?.definition.kind === "number";
  const wanted = names?.filter((name) => numbers || typeof name === "string").map(String);
  return wanted === undefined || wanted.length === 0 ? undefined : wanted;
}

/** Values of a filter that consists only of `|` and of `==` on the name; undefined for any other filter. */
export function namesIn(filter: Filter, nameField: string): readonly FilterValue[] | undefined {
  if (filter.kind === "compare") {
    return filter.comparison === "==" && filter.field === nameField ? [filter.value] : undefined;
  }
  if (filter.kind !== "or") return undefined;
  const lists = filter.parts.map((part) => namesIn(part, nameField));
  return lists.includes(undefined) ? undefined : lists.flatMap((list) => list ?? []);
}

function inNaturalOrder<Item>(resource: QueryResource<Item>, items: Iterable<Item>): Item[] {
  return [...items]
    .map((item) => ({ item, name: resource.name(item) }))
    .sort((a, b) => compareNaturally(a.name, b.name))
    .map(({ item }) => item);
}

function named<Item>(
  resource: QueryResource<Item>,
  items: Iterable<Item>,
  names: readonly string[],
): Item[] {
  const byName = new Map([...items].map((item) => [resource.name(item), item]));
  const field = resource.fields.find(({ definition }) => definition.name === resource.nameField);
  return names.map((name) => {
    const item =
      byName.get(name) ??
      (field?.seenAs === "hostname" ? shortened(resource, byName, name) : undefined);
    if (item !== undefined) return item;
    if (resource.missing !== undefined) return resource.missing(name);
    throw unknownEntity(resource, name, "not found");
  });
}

/** The one item whose host name begins with `name`, if any. */
function shortened<Item>(
  resource: QueryResource<Item>,
  byName: ReadonlyMap<string, Item>,
  name: string,
): Item | undefined {
  const found = [...byName].filter(([hostname]) => isNamed(hostname, name));
  if (found.length > 1) throw unknownEntity(resource, name, "has multiple matches");
  return found[0]?.[1];
}

function unknownEntity<Item>(resource: QueryResource<Item>, name: string, why: string) {
  return new FilterError("unknown_entity", `${resource.title} name ${name} ${why}`);
}
