/** GNU-style command lines: options, their arguments and operands. */

export { type Fault, optparseText } from "./fault.js";
export { manualExample, manualHead, manualItem, manualText } from "./manual.js";
export type { OptionForm } from "./option-form.js";
export { type Occurrence, type ReadWords, readWords } from "./read-words.js";
export { type ManualRow, manualOfUsage } from "./usage-manual.js";
