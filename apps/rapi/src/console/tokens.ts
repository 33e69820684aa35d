/** One-time tokens: each opens one console once, within half a minute. */
import { randomBytes } from "node:crypto";
import type { ConsoleInstance, ConsoleKind } from "./consoles.js";

/** The console that a token opens, and the user it was given to. */
export interface Grant {
  readonly user: string;
  readonly instance: ConsoleInstance;
  readonly kind: ConsoleKind;
  /** VNC password that the user has typed. */
  readonly password: string | undefined;
}

export const tokenMs = 30_000;

/** Maximum number of unused tokens; a newer one replaces the oldest. */
const tokensMax = 1000;

export class ConsoleTokens {
  readonly #now: () => number;
  /** In the order of their issue. */
  readonly #grants = new Map<string, Grant & { readonly untilMs: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  issue(grant: Grant): string {
    const [oldest] = this.#grants.keys();
    if (this.#grants.size >= tokensMax && oldest !== undefined) this.#grants.delete(oldest);
    const token = randomBytes(32).toString("base64url");
    this.#grants.set(token, { ...grant, untilMs: this.#now() + tokenMs });
    return token;
  }

  /** Uses a token up and returns its grant; undefined if it is unknown, used, or too old. */
  take(token: string): Grant | undefined {
    const grant = this.#grants.get(token);
    this.#grants.delete(token);
    return grant !== undefined && this.#now() < grant.untilMs ? grant : undefined;
  }
}
