/** Verification of names and passwords that clients send, with delays, log lines and records of failures. */
import type { Recorder } from "../audit/recorder.js";
import { HttpFault } from "../http/fault.js";
import { type Remote, shownName } from "../http/remote.js";
import type { Log } from "../log.js";
import type { Metrics } from "../metrics.js";
import { type LoginGuard, TooManyAttempts } from "./login-guard.js";
import type { User, Users } from "./users.js";

export interface Logins {
  /** Undefined if the name is unknown or the password is wrong. @throws HttpFault 429 after too many failures */
  verify(name: string, password: string, remote: Remote): Promise<User | undefined>;
}

export interface LoginParts {
  readonly users: Users;
  readonly guard: LoginGuard;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "loginFailed">;
  readonly recorderOf: (actor: { readonly user: string; readonly address: string }) => Recorder;
}

export function createLogins({ users, guard, log, metrics, recorderOf }: LoginParts): Logins {
  return {
    async verify(name, password, { client, address }) {
      try {
        await guard.admitted(name, client);
      } catch (error) {
        if (!(error instanceof TooManyAttempts)) throw error;
        metrics.loginFailed("too many");
        const headers = { "Retry-After": String(error.retryAfterSeconds) };
        throw new HttpFault(429, error.message, headers, { cause: error });
      }
      const user = users.verify(name, password);
      if (user !== undefined) {
        guard.succeeded(name, client);
        return user;
      }
      metrics.loginFailed("wrong");
      const failures = guard.failed(name, client);
      log.warn({ user: shownName(name), address, failures }, "login failed");
      const record = recorderOf({ user: name, address });
      await record("failed login", { done: false, text: "The name or the password is wrong" });
      return undefined;
    },
  };
}
