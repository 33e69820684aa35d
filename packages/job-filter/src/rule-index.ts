/** Index of a chain's rules by necessary conditions, which selects the rules that may match a job. */
import type { JobView } from "./job-view.js";
import type { Need } from "./necessity.js";

type NeedOf<Kind extends Need["kind"]> = Extract<Need, { kind: Kind }>;

/** Rules are identified by their position in the chain. */
export class RuleIndex {
  /** By the position of a field: rules by the value they need there. */
  readonly #byPlace = new Map<number, Map<unknown, number[]>>();
  readonly #byText = new Map<string, number[]>();
  /** By rule: the range of job numbers that it may match. */
  readonly #from: Float64Array;
  readonly #to: Float64Array;
  /** By rule: the turn in which its condition was last found; all turns if it needs nothing else. */
  readonly #foundIn: Float64Array;
  #turn = 0;
  #id = 0;

  constructor(needs: readonly (readonly Need[])[]) {
    this.#from = new Float64Array(needs.length).fill(-Infinity);
    this.#to = new Float64Array(needs.length).fill(Infinity);
    this.#foundIn = new Float64Array(needs.length).fill(Infinity);
    needs.forEach((ofRule, at) => {
      const isKind =
        <Kind extends Need["kind"]>(kind: Kind) =>
        (need: Need): need is NeedOf<Kind> =>
          need.kind === kind;
      for (const { from, to } of ofRule.filter(isKind("id"))) {
        this.#from[at] = Math.max(this.#from[at] as number, from);
        this.#to[at] = Math.min(this.#to[at] as number, to);
      }
      // One condition is enough, and a value is checked faster than a text.
      const [value] = ofRule.filter(isKind("value"));
      const [text] = ofRule.filter(isKind("text"));
      if (value === undefined && text === undefined) return;
      this.#foundIn[at] = 0;
      if (value !== undefined) {
        const byValue = this.#byPlace.get(value.place) ?? new Map<unknown, number[]>();
        this.#byPlace.set(value.place, byValue);
        addTo(byValue, value.value, at);
      } else if (text !== undefined) addTo(this.#byText, text.text, at);
    });
  }

  /**
   * Finds the conditions that the job satisfies. Cost: its opcodes times the fields that rules need, its
   * reasons times the texts.
   */
  look(view: JobView): void {
    this.#turn++;
    this.#id = view.id;
    for (const [place, byValue] of this.#byPlace) {
      for (const row of view.rows) {
        for (const at of byValue.get(row[place]) ?? []) this.#mark(at);
      }
    }
    for (const [text, rules] of this.#byText) {
      if (view.text.includes(text)) for (const at of rules) this.#mark(at);
    }
  }

  /** For the job of the last `look`. */
  mayMatch(at: number): boolean {
    return (
      (this.#foundIn[at] as number) >= this.#turn &&
      (this.#from[at] as number) <= this.#id &&
      this.#id <= (this.#to[at] as number)
    );
  }

  #mark(at: number): void {
    this.#foundIn[at] = Math.max(this.#foundIn[at] as number, this.#turn);
  }
}

function addTo<Key>(lists: Map<Key, number[]>, key: Key, at: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [at]);
  else list.push(at);
}
