/** What the lock monitor shows: every lock that somebody holds or waits for. */
import type { LockName } from "./lock-name.js";
import type { LockMode } from "./lock-request.js";

/** One line of the monitor; owners are texts, a job's number or a quoted name. */
export interface LockRow {
  readonly name: LockName;
  /** `null`: nobody holds it. */
  readonly mode: LockMode | null;
  readonly owner: readonly string[];
  /** In the order in which they will be granted. */
  readonly pending: readonly (readonly [mode: LockMode, owners: readonly string[]])[];
}
