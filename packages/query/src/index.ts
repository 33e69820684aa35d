/** Which items a filter expression matches. */

// The textual form, and what the arguments of commands select, as JSON forms.

export { type ArgumentOptions, filterFromArguments } from "./filter-arguments.js";
export { globPattern } from "./glob.js";
export { parseFilter } from "./parse-filter.js";

// The JSON form, ready for use.

export {
  type Comparison,
  decodeFilter,
  decodeFilterWith,
  encodeFilter,
  type Filter,
  type FilterLeaf,
  fieldsOf,
} from "./filter.js";
export { filterJudge, type Judge, type Verdict } from "./judge.js";
export {
  compilePattern,
  type Pattern,
  type PatternCompiler,
  patternLengthMax,
  searchedMax,
} from "./pattern.js";

// Refusals.

export { FilterError, type FilterErrorCode, FilterTextError } from "./filter-error.js";

// Queries: fields with kinds, values with statuses, and the table that comes out.

export { isNamed, itemJudge, orderFits } from "./item-judge.js";
export type { QueryField, QueryResource } from "./query-field.js";
export {
  fieldDefinitions,
  namesIn,
  planQuery,
  type QueryPlan,
  refuseUnknownFields,
} from "./query-plan.js";
export {
  type FieldDefinition,
  type FieldKind,
  fieldKinds,
  normal,
  type QueryResult,
  type ResultEntry,
  type ResultStatus,
  resultStatus,
} from "./result.js";
