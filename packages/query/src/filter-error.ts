/** Errors of this package: invalid filters, texts and values. */

/**
 * | code | meaning |
 * |---|---|
 * | `wrong_filter` | the JSON form is none, or a regular expression in it does not compile |
 * | `wrong_text` | the textual form is none; the error is a `FilterTextError` |
 * | `wrong_arguments` | command arguments that are neither names nor a filter |
 * | `unknown_field` | the filter names a field that the items do not have |
 * | `wrong_value` | a field's value is of a type that the filter cannot judge |
 * | `unknown_entity` | an item asked for by its name does not exist |
 */
type FilterErrorCode =
  | "wrong_filter"
  | "wrong_text"
  | "wrong_arguments"
  | "unknown_field"
  | "wrong_value"
  | "unknown_entity";

/** `code` is stable; `message` is Ganeti's own text. */
export class FilterError extends Error {
  override readonly name: string = "FilterError";
  readonly code: FilterErrorCode;

  constructor(code: FilterErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** A syntax error in a filter text, with its position: Ganeti's QueryFilterParseError. */
export class FilterTextError extends FilterError {
  override readonly name = "FilterTextError";
  /** The text's line, a caret under the position, and the reason with the position as a number. */
  readonly details: readonly [line: string, caret: string, reason: string];
  /** Number of characters before the fault; 0 at the start of the text. */
  readonly position: number;

  constructor(text: string, position: number, why: string) {
    const before = text.slice(0, position);
    const lineNumber = before.split("\n").length;
    const lineStart = before.lastIndexOf("\n") + 1;
    const column = position - lineStart + 1;
    const reason = `${why}  (at char ${position}), (line:${lineNumber}, col:${column})`;
    super("wrong_text", `Failed to parse query filter '${text}': ${reason}`);
    const line = text.slice(lineStart).split("\n", 1)[0] as string;
    this.details = [line, `${" ".repeat(column - 1)}^`, reason];
    this.position = position;
  }
}
