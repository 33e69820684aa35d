/** One row of a query's result: a list of `[status, value]`, in the order of the fields asked for. */
import {
  type JsonDocument,
  MessageError,
  quoted,
  renderJson,
  wrongMessage,
} from "@ganeti-ts/protocol";
import type { LuxiResult } from "../message.js";

/** Meaning of a field's status other than 0, which stands for a value. */
const failures: Readonly<Record<number, string>> = {
  1: "Unknown field",
  2: "No data for a field",
  3: "Ganeti reports unavailable data",
  4: "Ganeti reports resource as offline",
};

/**
 * Reads the fields of one thing. Errors are introduced by the kind and name of the thing and what the
 * field is called in errors, which is not always the name of the query field.
 */
export class QueryRow {
  readonly document: JsonDocument;
  readonly #statuses: readonly number[];
  readonly #values: readonly number[];
  #owner: string;

  constructor(document: JsonDocument, kind: string, cells: readonly number[]) {
    this.document = document;
    this.#owner = `Parsing new ${kind.toLowerCase()}: `;
    const pairs = cells.map((cell) => document.items(cell));
    this.#statuses = pairs.map(([status]) => status as number);
    this.#values = pairs.map(([, value]) => value as number);
  }

  /** The name, at position `at`; all further errors quote it. */
  named(kind: string, at: number): string {
    const name = this.#convert(at, this.#owner, "Unable to read String", (value) =>
      this.#text(value),
    );
    this.#owner = `${kind} '${name}', error while reading attribute `;
    return name;
  }

  string(at: number, attribute: string): string {
    return this.#read(at, attribute, "Unable to read String", (value) => this.#text(value));
  }

  boolean(at: number, attribute: string): boolean {
    return this.#read(at, attribute, "Unable to read Bool", (value) =>
      this.document.boolean(value),
    );
  }

  integer(at: number, attribute: string): number {
    return this.#read(at, attribute, "Unable to read Int", (value) => this.document.integer(value));
  }

  double(at: number, attribute: string): number {
    return this.#read(at, attribute, "Unable to read Double", (value) =>
      this.document.double(value),
    );
  }

  strings(at: number, attribute: string): string[] {
    return this.#list(at, attribute, "Unable to read String", (item) => this.#text(item));
  }

  integers(at: number, attribute: string): number[] {
    return this.#list(at, attribute, "Unable to read Int", (item) => this.document.integer(item));
  }

  /** A list of integers, or null where one is not known. For a status other than 0 the error does not name the row. */
  optionalIntegers(at: number, attribute: string): (number | undefined)[] {
    const { document } = this;
    const list = this.#value(at, "");
    const owner = `${this.#owner}'${attribute}': `;
    if (!document.isArray(list)) {
      throw wrongMessage(`${owner}Expecting array, got '${renderJson(document, list)}'`);
    }
    return document
      .items(list)
      .map((item) =>
        document.isNull(item)
          ? undefined
          : (document.integer(item) ?? this.#fail(item, owner, "Unable to read Int")),
      );
  }

  /** A string out of `choices`; `type` is Ganeti's name for them. */
  choice<T extends string>(at: number, attribute: string, type: string, choices: readonly T[]): T {
    const value = this.#value(at, `${this.#owner}'${attribute}': `);
    const owner = `${this.#owner}'${attribute}': `;
    const text = this.#text(value);
    if (text === undefined) {
      return this.#fail(value, owner, `Can't parse value for '${type}': Unable to read String`);
    }
    const chosen = choices.indexOf(text as T);
    if (chosen >= 0) return choices[chosen] as T;
    return this.#fail(value, owner, `Invalid string value for type ${type}: ${quoted(text)}`);
  }

  /** Result of `read` for an object; its errors follow the given introduction. */
  object<T>(at: number, attribute: string, read: (object: number, way: string) => T): T {
    const owner = `${this.#owner}'${attribute}': `;
    const value = this.#value(at, owner);
    if (!this.document.isObject(value)) this.#fail(value, owner, "Unable to read JSObject");
    return read(value, this.#introduction(value, owner));
  }

  /** Result of `read`, or 0 if there is an error of any kind. */
  orZero(read: () => number): number {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof MessageError)) throw error;
      return 0;
    }
  }

  #read<T>(at: number, attribute: string, why: string, read: (value: number) => T | undefined): T {
    return this.#convert(at, `${this.#owner}'${attribute}': `, why, read);
  }

  #convert<T>(at: number, owner: string, why: string, read: (value: number) => T | undefined): T {
    const value = this.#value(at, owner);
    return read(value) ?? this.#fail(value, owner, why);
  }

  #list<T>(at: number, attribute: string, why: string, read: (item: number) => T | undefined): T[] {
    const owner = `${this.#owner}'${attribute}': `;
    const list = this.#value(at, owner);
    if (!this.document.isArray(list)) this.#fail(list, owner, "Unable to read list");
    return this.document.items(list).map((item) => read(item) ?? this.#fail(list, owner, why));
  }

  /** The value of a field whose status is 0. */
  #value(at: number, owner: string): number {
    const { document } = this;
    const statusValue = this.#statuses[at] as number;
    const status = document.integer(statusValue);
    if (status === undefined) {
      this.#fail(statusValue, owner, "Can't parse value for 'ResultStatus': Unable to read Int");
    }
    if (status === 0) return this.#values[at] as number;
    const failure = failures[status];
    if (failure !== undefined) throw wrongMessage(`${owner}${failure}`);
    return this.#fail(
      statusValue,
      owner,
      `Invalid string value for type ResultStatus: ${status < 0 ? `(${status})` : status}`,
    );
  }

  #text(value: number): string | undefined {
    return this.document.isString(value) ? this.document.string(value, true) : undefined;
  }

  #fail(value: number, owner: string, why: string): never {
    throw wrongMessage(`${this.#introduction(value, owner)}${why}`);
  }

  #introduction(value: number, owner: string): string {
    return `${owner}Cannot convert value '${renderJson(this.document, value)}', error: `;
  }
}

/** The rows of a query's result; `kind` is what its things are called, `width` how many fields. */
export function queryRows(
  { document, value }: LuxiResult,
  kind: string,
  width: number,
): QueryRow[] {
  const show = (wrongValue: number) => renderJson(document, wrongValue);
  if (!document.isObject(value)) {
    throw wrongMessage(`Invalid input, expected dict entry but got ${show(value)}`);
  }
  const data = document.find(value, "data");
  if (data < 0) {
    const keys = document.keys(value).map(quoted).join(",");
    throw wrongMessage(`key 'data' not found, object contains only [${keys}]`);
  }
  if (!document.isArray(data)) {
    throw wrongMessage(`Invalid query result, expected array but got ${show(data)}`);
  }
  const rows = document.items(data).map((row) => {
    if (!document.isArray(row)) {
      throw wrongMessage(`Invalid query row result, expected array but got ${show(row)}`);
    }
    const cells = document.items(row);
    for (const cell of cells) {
      if (document.isArray(cell) && document.items(cell).length === 2) continue;
      throw wrongMessage(`Invalid query field, expected (status, value) but got ${show(cell)}`);
    }
    return { row, cells };
  });
  return rows.map(({ row, cells }) => {
    if (cells.length === width) return new QueryRow(document, kind, cells);
    throw wrongMessage(`Invalid ${kind.toLowerCase()} query result: ${show(row)}`);
  });
}
