/** Query arguments of a URL. */
import { HttpFault } from "./fault.js";

/** Arguments by name; an empty value counts as absent, and a repeated name gives a list. */
export class QueryArguments {
  readonly #values = new Map<string, string[]>();

  /** @param text without the question mark */
  constructor(text: string) {
    if (text === "") return;
    for (const [name, value] of new URLSearchParams(text)) {
      if (value === "") continue;
      const list = this.#values.get(name);
      if (list === undefined) this.#values.set(name, [value]);
      else list.push(value);
    }
  }

  list(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  /** The first value of that name. */
  text(name: string): string | undefined {
    return this.#values.get(name)?.[0];
  }

  /** @throws HttpFault 400 if it is not a whole number */
  integer(name: string, byDefault = 0): number {
    const value = this.text(name);
    if (value === undefined) return byDefault;
    // The syntax of Python's `int`.
    if (/^\s*[+-]?\d+(?:_\d+)*\s*$/.test(value)) return Number(value.replaceAll("_", ""));
    throw new HttpFault(400, `Invalid value for the '${name}' parameter`);
  }

  /** Booleans are numbers: 0 is false. @throws HttpFault 400 */
  flag(name: string, byDefault = false): boolean {
    return this.integer(name, byDefault ? 1 : 0) !== 0;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  get names(): readonly string[] {
    return [...this.#values.keys()];
  }
}
