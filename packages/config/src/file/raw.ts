/** Mutable JSON of a configuration file during its upgrade. */
import { wrongInput } from "../config-error.js";

export type Raw = Record<string, unknown>;

export const isRaw = (value: unknown): value is Raw =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The object under `key`, created if missing. @throws ConfigError if the value is not an object */
export function rawIn(owner: Raw, key: string): Raw {
  owner[key] ??= {};
  const value = owner[key];
  if (!isRaw(value)) wrongInput(`'${key}' is not a dictionary`);
  return value;
}

/** The objects of the map under `key`. */
export const rawsIn = (owner: Raw, key: string): readonly Raw[] =>
  Object.values(rawIn(owner, key)).filter(isRaw);

/** The objects of the list under `key`. */
export function rawList(owner: Raw, key: string): readonly Raw[] {
  const value = owner[key];
  return Array.isArray(value) ? value.filter(isRaw) : [];
}

/** A missing key and null are equivalent. */
export function fill(owner: Raw, defaults: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of Object.entries(defaults)) {
    owner[key] ??= value === undefined ? undefined : structuredCopy(value);
  }
}

/** Defaults are shared, so they are copied. */
const structuredCopy = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;

/** Ganeti reads these lists as sets. */
export function dropRepetitions(owner: Raw, key: string): void {
  const list = owner[key];
  if (Array.isArray(list)) owner[key] = [...new Set(list)];
}

export function dropNulls(owner: Raw): void {
  for (const [key, value] of Object.entries(owner)) {
    if (value === null || value === undefined) delete owner[key];
  }
}
