/** Durations of operations on simulated nodes. */

/** Durations of operations on simulated nodes. */
export interface Durations {
  /** Duration of every call (ms). */
  readonly callMs: number;
  readonly instanceStartMs: number;
  /** Time until an instance stops after a shutdown request; its timeout may be shorter. */
  readonly instanceStopMs: number;
  /** Duration of the scripts of an operating system (ms). */
  readonly osScriptMs: number;
  /** Speeds in MiB/s; Infinity for no duration. */
  readonly migrationSpeed: number;
  readonly syncSpeed: number;
  /** Wiping, imaging, converting, exporting. */
  readonly copySpeed: number;
}

/** Every operation takes no time. */
export const noDurations: Durations = {
  callMs: 0,
  instanceStartMs: 0,
  instanceStopMs: 0,
  osScriptMs: 0,
  migrationSpeed: Infinity,
  syncSpeed: Infinity,
  copySpeed: Infinity,
};

/** Durations of small machines in one room, about ten times as fast. */
export const briskDurations: Durations = {
  callMs: 5,
  instanceStartMs: 200,
  instanceStopMs: 500,
  osScriptMs: 1000,
  migrationSpeed: 1024,
  syncSpeed: 600,
  copySpeed: 2000,
};
