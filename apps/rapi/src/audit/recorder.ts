/** Recorders, which write actions that are not jobs to the audit. */
import type { AccessStore } from "@ganeti-ts/job-queue";
import type { TimeOfDay } from "@ganeti-ts/protocol";
import type { Log } from "../log.js";

/** Sender of a request. A client of a local socket has neither name nor address. */
export interface Actor {
  readonly user: string | null;
  readonly address: string | null;
}

export const localActor: Actor = { user: null, address: null };

/** Actions that create no job. */
export type RecordedAction =
  | "login"
  | "failed login"
  | "logout"
  | "cancel"
  | "priority"
  | "archive"
  | "add rule"
  | "replace rule"
  | "delete rule"
  | "queue"
  | "watcher"
  | "command"
  | "file"
  | "console"
  | "confd key"
  | "simulate";

export interface RecordedOutcome {
  /** The job, rule or other object; empty if absent. */
  readonly object?: string;
  readonly done: boolean;
  readonly text: string;
}

/** Records an action of one actor; durable when it resolves. A failure of the store is logged with the action. */
export type Recorder = (action: RecordedAction, outcome: RecordedOutcome) => Promise<void>;

export interface RecorderParts {
  readonly access: Pick<AccessStore, "add">;
  readonly clock: TimeOfDay;
  readonly log: Log;
}

export const recorderOf =
  ({ access, clock, log }: RecorderParts, actor: Actor): Recorder =>
  async (action, { object = "", done, text }) => {
    const record = { at: clock.wallMicros(), ...actor, action, object, done, text };
    try {
      await access.add(record);
    } catch (error) {
      // The action has taken effect already, so it must not fail now.
      log.error({ record, error }, "an action could not be recorded in the audit");
    }
  };
