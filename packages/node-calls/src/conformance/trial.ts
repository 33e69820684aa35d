import { noSignal } from "@ganeti-ts/protocol";
import type { NodeCallArguments, NodeCallName, NodeCallValue } from "../call-types.js";
import { catalogEntry } from "../catalog.js";
import type { NodeAnswer } from "../node-answer.js";
import type { NodeStage } from "./stage.js";

/** Ends a law that cannot go on; its message is a fault. */
class LawBroken extends Error {
  override readonly name = "LawBroken";
}

/** Options of one run of a law. */
export interface TrialOptions {
  /** Every call that may be repeated is made twice. */
  readonly repeating?: boolean;
  /** Calls that are marked `same` and may be refused when they are repeated. */
  readonly refusesRepetition?: readonly NodeCallName[];
  /** Notes each such refusal. */
  readonly onRefusal?: (name: NodeCallName) => void;
  /** Notes each call. */
  readonly onCall?: (name: NodeCallName) => void;
}

/** One law on one stage: makes its calls, and collects what is wrong with the answers. */
export class Trial {
  readonly stage: NodeStage;
  readonly faults: string[] = [];
  readonly #options: TrialOptions;

  constructor(stage: NodeStage, options: TrialOptions = {}) {
    this.stage = stage;
    this.#options = options;
  }

  /** Makes the call; arguments and value are checked against the catalog. */
  async answer<Name extends NodeCallName>(
    node: number,
    name: Name,
    args: NodeCallArguments<Name>,
    lease = "1:1",
  ): Promise<NodeAnswer<NodeCallValue<Name>>> {
    this.#options.onCall?.(name);
    const { arguments: expected, value } = catalogEntry(name);
    const given = expected.safeParse(args);
    if (!given.success) throw new LawBroken(`${name}: the law's arguments: ${given.error.message}`);
    const caller = { lease, signal: noSignal };
    const uuid = this.#uuid(node);
    const answer = await this.stage.nodes
      .call(uuid, name, args, caller)
      .catch((error: unknown) => this.end(`${name} rejects: ${error}`));
    if (!answer.ok) {
      if (answer.message === "") this.faults.push(`${name} fails without a message`);
      return answer;
    }
    const parsed = value.safeParse(answer.value);
    if (!parsed.success) this.faults.push(`${name}: its value: ${parsed.error.message}`);
    return answer;
  }

  /** The value; a failure ends the law. */
  async ask<Name extends NodeCallName>(
    node: number,
    name: Name,
    args: NodeCallArguments<Name>,
  ): Promise<NodeCallValue<Name>> {
    const answer = await this.answer(node, name, args);
    if (!answer.ok) return this.end(`${name} fails: ${answer.message}`);
    const { repeating, refusesRepetition, onRefusal } = this.#options;
    if (repeating && catalogEntry(name).repeat !== "again") {
      const again = await this.answer(node, name, args);
      if (!again.ok) {
        if (refusesRepetition?.includes(name)) onRefusal?.(name);
        else this.faults.push(`${name} fails when it is repeated: ${again.message}`);
      }
    }
    return answer.value;
  }

  /** The message; success is a fault. */
  async refused<Name extends NodeCallName>(
    node: number,
    name: Name,
    args: NodeCallArguments<Name>,
    why: string,
  ): Promise<string> {
    const answer = await this.answer(node, name, args);
    if (answer.ok) this.faults.push(`${name} succeeds although ${why}`);
    return answer.ok ? "" : answer.message;
  }

  /** Path of an uploaded file for calls that look at it on the node. */
  pathOn(node: number, path: string): string {
    return this.stage.pathOnNode?.(node, path) ?? path;
  }

  holds(isTrue: boolean, fault: string): void {
    if (!isTrue) this.faults.push(fault);
  }

  /** Compared as JSON, with keys in any order. */
  same(actual: unknown, expected: unknown, what: string): void {
    const [found, wanted] = [text(actual), text(expected)];
    if (found !== wanted) this.faults.push(`${what}: ${found} instead of ${wanted}`);
  }

  end(fault: string): never {
    throw new LawBroken(fault);
  }

  #uuid(node: number): string {
    return this.stage.members[node]?.uuid ?? this.end(`no node ${node}`);
  }
}

/** Faults of one law; none if it holds. */
export async function faultsOf(
  law: (trial: Trial) => Promise<void>,
  stage: NodeStage,
  options: TrialOptions = {},
): Promise<readonly string[]> {
  const trial = new Trial(stage, options);
  try {
    await law(trial);
  } catch (error) {
    if (!(error instanceof LawBroken)) throw error;
    trial.faults.push(error.message);
  }
  return trial.faults;
}

const text = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  ) ?? "undefined";
