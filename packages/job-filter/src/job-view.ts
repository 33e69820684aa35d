/** What the rules of one chain look at in a job: worked out once per job, however many rules ask. */
import { isJsonObject, JobId, type Json, type JsonObject } from "@ganeti-ts/protocol";
import { type JobFacts, jobFacts } from "./job-facts.js";

/** The values of one opcode at the places of the fields; undefined where it lacks the field. */
export type Row = readonly (Json | undefined)[];

/** Shows one job after the other; what it gave for the last one is gone then. */
export class JobView {
  readonly #places = new Map<string, number>();
  readonly #readers: FieldReader[] = [];
  #id = JobId.parse(0);
  #facts = jobFacts([]);
  #rows: (Json | undefined)[][] | undefined;
  #text: string | undefined;

  /** Where rows have the field's value, nested ones by dots. For rules that are being made ready. */
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

  /** Every source and reason of the trails: what is not in here is in none of them. */
  get text(): string {
    if (this.#text === undefined) {
      this.#text = "";
      for (const { source, reason } of this.#facts.reasons) this.#text += `${source}\n${reason}\n`;
    }
    return this.#text;
  }
}

type FieldReader = (opcode: JsonObject) => Json | undefined;

/** What is found at the dotted path, through objects only; `undefined` if nothing is. */
function fieldReader(field: string): FieldReader {
  const keys = field.split(".");
  const [only] = keys;
  // What no object inherits can be read without asking whose it is.
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

/** Whether a predicate is true of the job that the view shows. */
export type Matcher = (view: JobView) => boolean;
