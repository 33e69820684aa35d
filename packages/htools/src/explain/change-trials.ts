/** Trials of changes: each loads the changed cluster and answers the changed request. */
import type { AllocationChange, AllocatorAnswer } from "@ganeti-ts/protocol";
import type { Cluster } from "../model/cluster.js";
import { unitLoad, zeroLoad } from "../model/instance.js";
import { type LoadOptions, loadCluster } from "../model/load.js";
import { field } from "../model/node-columns.js";
import type { InParts } from "../parts.js";
import { answerRequest } from "../requests.js";
import { applyChange, type Question } from "./apply-change.js";

/** Limits of the search for suggestions. The core has no clock of its own. */
export interface TrialLimits {
  readonly trialsMax: number;
  /** A monotonic clock, and its value at which the search ends. */
  readonly now?: () => number;
  readonly end?: number;
}

export class ChangeTrials {
  private readonly question: Question;
  private count = 0;
  /** Whether changes were left untried for lack of time. */
  cutShort = false;

  /** @param isSuccess whether an answer places the instance */
  constructor(
    private readonly cluster: Cluster,
    asked: Pick<Question, "request" | "options">,
    private readonly load: LoadOptions,
    private readonly isSuccess: (answer: AllocatorAnswer) => boolean,
    private readonly trialLimits: TrialLimits,
  ) {
    this.question = { ...asked, cluster: cluster.data };
  }

  /** Whether another trial is within the limits; check it before each one. */
  get hasTime(): boolean {
    const { trialsMax, now, end = Number.POSITIVE_INFINITY } = this.trialLimits;
    if (this.count < trialsMax && (now === undefined || now() < end)) return true;
    this.cutShort = true;
    return false;
  }

  /** Whether the request succeeds with all of these changes: one part. */
  *succeeds(changes: readonly AllocationChange[]): InParts<boolean> {
    yield;
    this.count++;
    const { cluster, request, options } = changes.reduce(applyChange, this.question);
    const loaded = cluster === this.cluster.data ? this.cluster : this.reloaded(cluster);
    return this.isSuccess(answerRequest(loaded, request, options).answer);
  }

  /** Those of the changes with which the request succeeds, each alone, as far as the limits allow. */
  *helping(changes: readonly AllocationChange[]): InParts<AllocationChange[]> {
    const helping: AllocationChange[] = [];
    for (const change of changes) {
      if (this.hasTime && (yield* this.succeeds([change]))) helping.push(change);
    }
    return helping;
  }

  /**
   * The smallest amount with which `changes` succeed while one unit less fails; both are tested. If success
   * is not monotonic it is one such amount, not necessarily the smallest.
   *
   * @param guesses amounts to try first
   * @param ceiling an amount that succeeds if any does
   */
  *smallest(
    changes: (amount: number) => readonly AllocationChange[],
    guesses: readonly number[],
    ceiling: number,
  ): InParts<number | undefined> {
    const tried = new Map<number, boolean>([[0, false]]);
    const trials = this;
    function* succeeds(amount: number): InParts<boolean> {
      const known = tried.get(amount);
      if (known !== undefined) return known;
      const answer = yield* trials.succeeds(changes(amount));
      tried.set(amount, answer);
      return answer;
    }
    const known = guesses.filter((guess) => guess > 0 && guess < ceiling);
    let guessed: number | undefined;
    for (const guess of known) {
      if (!(yield* succeeds(guess))) continue;
      guessed = guess;
      break;
    }
    if (guessed === undefined && (ceiling < 1 || !(yield* succeeds(ceiling)))) return undefined;
    let high = guessed ?? ceiling;
    const failing = [...tried].flatMap(([amount, good]) => (good ? [] : [amount]));
    let low = Math.max(...failing.filter((amount) => amount < high));
    if (high - low > 1) {
      if (!(yield* succeeds(high - 1))) return high;
      high--;
    }
    while (high - low > 1) {
      if (!this.hasTime) return undefined;
      const middle = Math.floor((low + high) / 2);
      if (yield* succeeds(middle)) high = middle;
      else low = middle;
    }
    return high;
  }

  /** Measured loads are carried over. */
  private reloaded(data: Question["cluster"]): Cluster {
    const loaded = loadCluster(data, this.load);
    const { cluster: from } = this;
    if (from.instances.every(({ load }) => load === unitLoad || load === zeroLoad)) return loaded;
    for (const [index, { load }] of from.instances.entries()) {
      loaded.instances[index] = {
        ...(loaded.instances[index] as (typeof from.instances)[0]),
        load,
      };
    }
    for (let node = 0; node < from.nodeCount; node++) {
      loaded.set(node, field.loadCpu, from.get(node, field.loadCpu));
    }
    return loaded;
  }
}
