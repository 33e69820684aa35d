/** Query language: filter expressions, and queries over items. */

// The textual form, and the selection by command arguments, as JSON forms.

export { filterFromArguments } from "./filter-arguments.js";
export { parseFilter } from "./parse-filter.js";

// The decoded JSON form.

export {
  decodeFilter,
  decodeFilterWith,
  encodeFilter,
  type Filter,
  type FilterLeaf,
  fieldsOf,
} from "./filter.js";
export { filterJudge, type Judge, type Verdict } from "./judge.js";
export { compilePattern, type Pattern, type PatternCompiler, searchedMax } from "./pattern.js";

// Errors.

export { FilterError, FilterTextError } from "./filter-error.js";

// Queries: fields with kinds, values with statuses, and the resulting table.

export { FieldIndex, type IndexedLeaf } from "./field-index.js";
export { orderFits } from "./item-judge.js";
export { narrowed } from "./narrow-filter.js";
export type { QueryField, QueryResource } from "./query-field.js";
export { fieldDefinitions, namesIn, planQuery, refuseUnknownFields } from "./query-plan.js";
export {
  type FieldDefinition,
  type FieldKind,
  normal,
  type QueryResult,
  type ResultEntry,
  resultStatus,
} from "./result.js";
