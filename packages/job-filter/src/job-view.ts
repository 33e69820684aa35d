/**
 * View of a job for the rules of one chain: each value is computed once per job, however many rules use it.
 */
import { isJsonObject, JobId, type Json, type JsonObject } from "@ganeti-ts/protocol";
import { type JobFacts, jobFacts } from "./job-facts.js";

/** The values of one opcode at the positions of the fields; undefined for missing fields. */
export type Row = readonly (Json | undefined)[];

/** Shows one job at a time; values of the previous job become invalid. */
export class JobView {
  readonly #places = new Map<string, number>();
  readonly #readers: FieldReader[] = [];
  #id = JobId.parse(0);
  #facts = jobFacts([]);
  #rows: (Json | undefined)[][] | undefined;
  #text: string | undefined;

  /** Position of a field's value in rows, with dots for nested fields. Called while rules are prepared. */
  placeOf(field: string): number {
    const known = this.#places.get(field);
    if (known !== undefined) return known;
    const place = this.#readers.push(fieldReader(field)) - 1;
    this.#places.set(field, place);
    return place;
  }

  show(id: JobId, facts: JobFacts): void {
    this.#id = id;
    this.#facts = facts;
    this.#rows = undefined;
    this.#text = undefined;
  }

  get id(): JobId {
    return this.#id;
  }

  get facts(): JobFacts {
    return this.#facts;
  }

  /** One row per opcode. */
  get rows(): readonly Row[] {
    this.#rows ??= this.#facts.opcodes.map((opcode) => this.#readers.map((read) => read(opcode)));
    return this.#rows;
  }

  /** All sources and reasons of the trails: a text not contained here occurs in none of them. */
  get text(): string {
    if (this.#text === undefined) {
      this.#text = "";
      for (const { source, reason } of this.#facts.reasons) this.#text += `${source}\n${reason}\n`;
    }
    return this.#text;
  }
}

type FieldReader = (opcode: JsonObject) => Json | undefined;

/** The value at the dotted path, through objects only; `undefined` if there is none. */
function fieldReader(field: string): FieldReader {
  const keys = field.split(".");
  const [only] = keys;
  // Keys that no object inherits can be read without an ownership check.
  if (only !== undefined && keys.length === 1 && !(only in {})) return (opcode) => opcode[only];
  return (opcode) => {
    let value: Json | undefined = opcode;
    for (const key of keys) {
      if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
      value = value[key];
    }
    return value;
  };
}

/** Whether a predicate is true for the job in the view. */
export type Matcher = (view: JobView) => boolean;
