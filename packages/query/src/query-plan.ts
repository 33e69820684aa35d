/** Query plan: from a filter and fields to a table. */
import { compareNaturally, type FilterValue, inNaturalOrder } from "@ganeti-ts/protocol";
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
 * Used in this order: `candidates`, then the caller collects live data of the candidates for `fieldNames`,
 * then `answer`. Without live fields, `answer(candidates(items))` is the query.
 */
interface QueryPlan<Item> {
  /** All known fields that are shown or used in the filter. */
  readonly fieldNames: readonly string[];
  /**
   * Items that match, or may match once live data is present. In natural order of their names; if the filter
   * consists of names only, in the order of the names, including repetitions.
   *
   * @throws FilterError `unknown_entity` for a name without item, `wrong_value`
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
      names === undefined
        ? passingInNaturalOrder(resource, items, passes)
        : named(resource, items, names).filter(passes),
    answer: (items) => ({
      fields: shown.map(({ definition }) => definition),
      data: [...items].filter(passes).map((item) => shown.map((field) => entryOf(field, item))),
    }),
  };
}

/**
 * For callers that return plain values, in which a column without values would not be noticed. @throws
 * FilterError
 */
export function refuseUnknownFields<Item>(
  resource: QueryResource<Item>,
  names: readonly string[],
): void {
  const known = new Set(resource.fields.map(({ definition }) => definition.name));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  throw new FilterError("unknown_field", `Unknown output fields selected: ${unknown.join(", ")}`);
}

/** Definitions of the named fields, or of all in natural order. */
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

/** A requested column that does not exist: present, but without values. */
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

/** The names in a filter that consists only of `|` of `==` on the name; at least one name. */
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

/** The values of a filter that consists only of `|` and of `==` on the name; undefined for other filters. */
export function namesIn(filter: Filter, nameField: string): readonly FilterValue[] | undefined {
  if (filter.kind === "compare") {
    return filter.comparison === "==" && filter.field === nameField ? [filter.value] : undefined;
  }
  if (filter.kind !== "or") return undefined;
  const lists = filter.parts.map((part) => namesIn(part, nameField));
  return lists.includes(undefined) ? undefined : lists.flatMap((list) => list ?? []);
}

/** Only matching items are sorted, because a comparison of names costs more than most filters. */
function passingInNaturalOrder<Item>(
  resource: QueryResource<Item>,
  items: Iterable<Item>,
  passes: (item: Item) => boolean,
): Item[] {
  const all = [...items];
  try {
    return inNaturalOrder(all.filter(passes), resource.name);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    // The failure to report is that of the first item in this order.
    return inNaturalOrder(all, resource.name).filter(passes);
  }
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

/** The only item whose host name begins with `name`, if there is one. */
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
