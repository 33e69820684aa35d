/** JSON text as Ganeti's Haskell daemons write it, up to a limit. */

/** A JSON object whose entries are built when they are read. */
export class Entries {
  /** In the order in which they are written. */
  readonly all: () => Iterable<readonly [string, unknown]>;
  /** Undefined for a key that is not there. */
  readonly get: (key: string) => unknown;

  constructor(all: Entries["all"], get: Entries["get"]) {
    this.all = all;
    this.get = get;
  }
}

/** Undefined if the text has more than `lengthMax` UTF-16 units. O(min(value, limit)). */
export function valueText(value: unknown, lengthMax: number): string | undefined {
  const text = new Text(lengthMax);
  text.value(value);
  return text.isFull ? undefined : text.written;
}

class Text {
  written = "";
  readonly #lengthMax: number;

  constructor(lengthMax: number) {
    this.#lengthMax = lengthMax;
  }

  get isFull(): boolean {
    return this.written.length > this.#lengthMax;
  }

  value(value: unknown): void {
    if (typeof value === "number" || typeof value === "bigint") this.written += numberText(value);
    else if (Array.isArray(value)) this.#list(value);
    else if (value instanceof Entries) this.#object(value.all());
    else if (typeof value === "object" && value !== null) this.#object(Object.entries(value));
    else this.written += JSON.stringify(value);
  }

  #list(list: readonly unknown[]): void {
    this.written += "[";
    for (const [at, item] of list.entries()) {
      if (this.isFull) return;
      if (at > 0) this.written += ",";
      this.value(item);
    }
    this.written += "]";
  }

  #object(entries: Iterable<readonly [string, unknown]>): void {
    let opening = "{";
    for (const [key, item] of entries) {
      if (this.isFull) return;
      this.written += `${opening}${JSON.stringify(key)}:`;
      opening = ",";
      this.value(item);
    }
    this.written += opening === "{" ? "{}" : "}";
  }
}

/**
 * Whole numbers have all their digits. Others have a decimal point from 0.1 to 10 000 000, beyond that
 * a mantissa with at least one decimal: `1.7952100096001744e9`.
 */
export function numberText(value: number | bigint): string {
  if (typeof value === "bigint" || Number.isInteger(value)) return String(BigInt(value));
  const size = Math.abs(value);
  if (size >= 0.1 && size < 1e7) return String(value);
  const [mantissa = "", exponent = ""] = value.toExponential().split("e");
  return `${mantissa.includes(".") ? mantissa : `${mantissa}.0`}e${exponent.replace("+", "")}`;
}
