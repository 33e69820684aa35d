/** World: everything that the server's resources read and change. */

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
  /** Rendered objects of the API. */
  readonly texts: ObjectTexts;
  readonly planner: Planner;
  readonly jobs: JobTexts;
  readonly events: Events;
  readonly users: Users;
  readonly logins: Logins;
  /** Records of actions that are not jobs, and ended sessions. */
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
  /** Places for running requests. */
  readonly gates: Gates;
  /** Simulated failures of nodes; undefined if the nodes are real. */
  readonly practice: Practice | undefined;
  /** Consoles of instances, and the tokens that open them. */
  readonly consoles: Consoles;
  readonly consoleTokens: ConsoleTokens;
  readonly confd: Confd;
  /** Note sent with every answer if the cluster is a twin or a shadow. */
  readonly note: string | undefined;
  /** Reason why this server refuses changes; undefined if it accepts them. */
  readonly refusal?: string;
  readonly settings: Settings;
}

/** Configuration queries over UDP, which have a listener and a key of their own. */
export interface Confd {
  /** Address of the listener; null if there is none. */
  bound(): { readonly address: string; readonly port: number } | null;
  /** Replaces the key in the file; the former one is no longer valid. */
  renewKey(): Promise<void>;
}

export interface Settings {
  /** Whether every request must be authenticated. */
  readonly requireAuthentication: boolean;
  /** Whether metrics are answered without authentication. */
  readonly publicMetrics: boolean;
  /** Proxies whose reports of client addresses are trusted. */
  readonly proxies: TrustedProxies;
  readonly bodies: BodyLimits;
}
