/** Live line that says why a followed job does not start. */
import type { Cluster } from "../cluster.js";
import type { LiveLine } from "../live-line.js";

type Causes = NonNullable<Awaited<ReturnType<Cluster["why"]>>>;

/** Delays (ms) between requests for the causes; the last one repeats. */
const delays = [0, 1000, 5000, 10_000];

/**
 * Shows the cause of one held job and keeps it up to date until `end`. `plain` is shown while no cause is
 * known: a job that has only just been submitted has none, and Ganeti's server cannot name any.
 */
export class HeldLine {
  readonly #live: LiveLine;
  readonly #id: number;
  readonly #why: Cluster["why"];
  #plain = "";
  #text: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Answers of requests from an earlier wait are ignored. */
  #turn = 0;

  constructor(live: LiveLine, id: number, why: Cluster["why"]) {
    this.#live = live;
    this.#id = id;
    this.#why = why;
  }

  show(plain: string): void {
    this.#plain = plain;
    this.#draw();
    if (this.#timer === undefined) this.#ask(0);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#text = undefined;
    this.#turn += 1;
    this.#live.clear();
  }

  #ask(attempt: number): void {
    const turn = this.#turn;
    const delay = delays[Math.min(attempt, delays.length - 1)];
    this.#timer = setTimeout(() => {
      this.#why(this.#id).then(
        (causes = []) => {
          if (turn !== this.#turn) return;
          this.#text = causesText(this.#id, causes);
          this.#draw();
          this.#ask(attempt + 1);
        },
        // Failures are ignored: the reason is optional, and a server that cannot give it is not
        // asked again.
        () => {},
      );
    }, delay);
  }

  #draw(): void {
    const text = this.#text;
    const hint = ` [gnt-job why ${this.#id}]`;
    this.#live.show((columns) =>
      text === undefined ? this.#plain : shortened(text, columns - hint.length) + hint,
    );
  }
}

/** `Job 5 waits for job 4 to finish`; undefined without a cause. */
function causesText(id: number, causes: Causes): string | undefined {
  const [first, ...more] = causes;
  if (first === undefined) return undefined;
  const text = first.text.replace(uuids, "$1…");
  return `Job ${id} ${text}${more.length === 0 ? "" : `; ${more.length} more`}`;
}

/** Their first digits identify the rule and leave room for its reason. */
const uuids = /\b([0-9a-f]{8})(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;

const shortened = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
