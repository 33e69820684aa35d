// Starts of opcodes, which the queue stores while their locks are held.
import type { Configuration, Snapshot } from "@ganeti-ts/config";
import type { Change, Claim } from "@ganeti-ts/job-queue";
import type { Job, JobId, JobStatus, JsonObject } from "@ganeti-ts/protocol";
import { keepGiven, type Reservations } from "./reservations.js";
import type { Invariant, Sabotage } from "./sabotage.js";

interface Seen {
  readonly snapshot: Snapshot;
  readonly observer: Configuration;
  readonly reservations: Reservations;
  readonly sabotage: Sabotage;
  broken(invariant: Invariant, what: string): void;
}

/** Checks that each opcode starts only once, unless its own worker has postponed it. */
export class Begun {
  /** Started opcodes as `job.index`. */
  readonly #begun = new Set<string>();
  readonly #seen: Seen;

  constructor(seen: Seen) {
    this.#seen = seen;
  }

  sees(changes: readonly Change[], before: ReadonlyMap<JobId, Job>, by: Claim): void {
    for (const change of changes) {
      if (change.kind !== "job") continue;
      const { job, opcodes } = change;
      for (const index of opcodes) {
        const was = before.get(job.id)?.opcodes[index]?.status;
        const { status, input } = job.opcodes[index] ?? {};
        const key = `${job.id}.${index}`;
        const opcode = input as JsonObject;
        const isOwn = job.livelock === `${by.worker}:${by.fence}`;
        if (status === "running" && was !== "running") this.#begins(key, opcode);
        else if (was === "running" && isPutOff(status) && isOwn) this.#begun.delete(key);
        else if (was === "running" && status === "error") this.#fails(opcode);
      }
    }
  }

  #begins(key: string, opcode: JsonObject): void {
    const { reservations, snapshot } = this.#seen;
    if (this.#begun.has(key)) this.#seen.broken("nothing runs twice", `${key} ${opcode.OP_ID}`);
    this.#begun.add(key);
    if (typeof opcode.instance_name === "string") reservations.begins(opcode, snapshot);
  }

  #fails({ commit, instance_name }: JsonObject): void {
    const { sabotage, observer } = this.#seen;
    if (!sabotage.keepsGiven || commit !== true) return;
    void keepGiven(observer, String(instance_name));
  }
}

/** If a rule pauses the job or its server stops, an opcode to be retried is queued again at once. */
const isPutOff = (status: JobStatus | undefined): boolean =>
  status === "waiting" || status === "queued";
