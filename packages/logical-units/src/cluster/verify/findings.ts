/** Findings of a verification: lines in the job's log, and whether any of them is an error. */
import type { Json } from "@ganeti-ts/protocol";
import type { World } from "../../unit/unit.js";

export interface FindingOptions {
  /** Lines contain error codes and are meant for programs. */
  readonly error_codes: boolean;
  /** Codes that are reported as warnings only. */
  readonly ignore_errors: readonly string[];
  /** Every check fails, to show its line. */
  readonly debug_simulate_errors: boolean;
}

/** Codes as Ganeti names them, about a cluster, a group, a node or an instance. */
export type FindingCode = `E${"CLUSTER" | "GROUP" | "NODE" | "INSTANCE"}${string}` | "EEXTAGS";

export type Severity = "ERROR" | "WARNING";

export class Findings {
  #isBad = false;
  readonly #world: Pick<World, "log">;
  readonly #options: FindingOptions;

  constructor(world: Pick<World, "log">, options: FindingOptions) {
    this.#world = world;
    this.#options = options;
  }

  /** Whether there was an error. */
  get isBad(): boolean {
    return this.#isBad;
  }

  step(text: string): void {
    this.#world.log(text);
  }

  /** `name` is that of the node, group or instance; null for the cluster. */
  add(code: FindingCode, name: string | null, text: string, severity: Severity = "ERROR"): void {
    const { error_codes, ignore_errors } = this.#options;
    const shown = ignore_errors.includes(code) ? "WARNING" : severity;
    const about =
      code === "EEXTAGS"
        ? "node"
        : (/^E(CLUSTER|GROUP|NODE)/.exec(code)?.[1]?.toLowerCase() ?? "instance");
    const line = error_codes
      ? `  - ${shown}:${code}:${about}:${name ?? "None"}:${text}`
      : `  - ${shown}: ${about} ${name ?? ""}: ${text}`;
    this.#world.log(line satisfies Json);
    if (shown === "ERROR") this.#isBad = true;
  }

  addIf(
    isFound: boolean,
    code: FindingCode,
    name: string | null,
    text: string,
    severity?: Severity,
  ): void {
    if (isFound || this.#options.debug_simulate_errors) this.add(code, name, text, severity);
  }
}
