/** intendedState: the administrative state that explains the reported status of an instance. */
import type { InstanceStatus, RealInstance } from "@ganeti-ts/protocol";

type Intended = Pick<RealInstance, "admin_state" | "admin_state_source" | "disks_active">;

/** Statuses of instances that should run. */
const wantedUp: ReadonlySet<InstanceStatus> = new Set([
  "running",
  "ERROR_down",
  "ERROR_wrongnode",
  "ERROR_nodedown",
  "ERROR_nodeoffline",
]);

/** The inverse of the status that a server derives from this state and the sighting of the instance. */
export function intendedState(status: InstanceStatus): Intended {
  const isUp = wantedUp.has(status);
  return {
    admin_state: isUp ? "up" : status === "ADMIN_offline" ? "offline" : "down",
    admin_state_source: status === "USER_down" ? "user" : "admin",
    disks_active: isUp,
  };
}
