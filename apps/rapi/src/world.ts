/** World of the server: everything that its resources read and change. */

import type { ClusterObjects, ClusterQueue, Events, Planner } from "@ganeti-ts/cluster";
import type { AccessStore } from "@ganeti-ts/job-queue";
import type { Clock } from "@ganeti-ts/protocol";
import type { Recorder } from "./audit/recorder.js";
import type { Logins } from "./auth/logins.js";
import type { Users } from "./auth/users.js";
import type { Consoles } from "./console/consoles.js";
import type { ConsoleTokens } from "./console/tokens.js";
import type { BodyLimits } from "./http/body.js";
import type { Gates } from "./http/gate.js";
import type { TrustedProxies } from "./http/remote.js";
import type { JobTexts } from "./job-texts.js";
import type { ObjectTexts } from "./lists/object-texts.js";
import type { Log } from "./log.js";
import type { Metrics } from "./metrics.js";
import type { Practice } from "./practice.js";
import type { UiFiles } from "./ui/files.js";
import type { Sessions } from "./ui/session.js";

export interface World {
  readonly queue: ClusterQueue;
  readonly objects: ClusterObjects;
  /** The same objects, as the API shows them. */
  readonly texts: ObjectTexts;
  readonly planner: Planner;
  readonly jobs: JobTexts;
  readonly events: Events;
  readonly users: Users;
  readonly logins: Logins;
  /** Records of actions that are no jobs, and ended sessions. */
  readonly access: AccessStore;
  /** Records an action of the client whose request is handled. */
  readonly record: Recorder;
  /** Sessions of the page. */
  readonly sessions: Sessions;
  /** Files of the page; undefined if it is not installed. */
  readonly ui: UiFiles | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Places for the requests that are worked on. */
  readonly gates: Gates;
  /** Failures of simulated nodes; undefined where nodes are real. */
  readonly practice: Practice | undefined;
  /** The way to consoles of instances, and tokens that open them. */
  readonly consoles: Consoles;
  readonly consoleTokens: ConsoleTokens;
  readonly confd: Confd;
  /** Sent with every answer: this is a twin or a shadow of another cluster. Undefined: it is neither. */
  readonly note: string | undefined;
  /** Why nothing can be changed here. Undefined: everything can. */
  readonly refusal?: string;
  readonly settings: Settings;
}

/** Configuration queries over UDP, which have a listener and a key of their own. */
export interface Confd {
  /** Where they are answered; null: nowhere. */
  bound(): { readonly address: string; readonly port: number } | null;
  /** A new key in the file, from now on the only one. */
  renewKey(): Promise<void>;
}

export interface Settings {
  /** Whether every request must be authenticated. */
  readonly requireAuthentication: boolean;
  /** Whether metrics are answered without authentication. */
  readonly publicMetrics: boolean;
  /** Proxies that tell the addresses of their clients. */
  readonly proxies: TrustedProxies;
  readonly bodies: BodyLimits;
}
