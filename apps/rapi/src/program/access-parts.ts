/** Parts of a server's world that authenticate clients and record their actions. */
import type { AccessStore } from "@ganeti-ts/job-queue";
import type { Clock } from "@ganeti-ts/protocol";
import { localActor, recorderOf } from "../audit/recorder.js";
import { LoginGuard } from "../auth/login-guard.js";
import { createLogins } from "../auth/logins.js";
import type { Users } from "../auth/users.js";
import type { Log } from "../log.js";
import type { Metrics } from "../metrics.js";
import { createSessions } from "../ui/session.js";
import type { World } from "../world.js";

export interface AccessPorts {
  readonly users: Users;
  readonly access: AccessStore;
  /** Key of the page's sessions. */
  readonly key: Uint8Array;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "loginFailed">;
}

export function accessParts(
  ports: AccessPorts,
): Pick<World, "users" | "access" | "logins" | "sessions" | "record"> {
  const { users, access, key, clock, log, metrics } = ports;
  const guard = new LoginGuard(clock);
  const now = () => Math.floor(clock.wallMicros() / 1000);
  return {
    users,
    access,
    logins: createLogins({
      ...{ users, guard, log, metrics },
      recorderOf: (actor) => recorderOf(ports, actor),
    }),
    sessions: createSessions({ key, users, access, now }),
    record: recorderOf(ports, localActor),
  };
}
