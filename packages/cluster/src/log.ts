/** The port to a log. */

/** Where a cluster reports what happens by itself; its methods are those of usual log libraries. */
export interface ClusterLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

export const silentLog: ClusterLog = { info() {}, warn() {}, error() {} };
