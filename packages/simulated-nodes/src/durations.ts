/** How long things take on simulated nodes. */

export interface Durations {
  /** Every call, in milliseconds. */
  readonly callMs: number;
  readonly instanceStartMs: number;
  /** Until an instance that was asked to stop does; its timeout may be shorter. */
  readonly instanceStopMs: number;
  /** An OS's scripts. */
  readonly osScriptMs: number;
  /** Speeds in MiB/s; Infinity: no time at all. */
  readonly migrationSpeed: number;
  readonly syncSpeed: number;
  /** Wiping, imaging, converting, exporting. */
  readonly copySpeed: number;
}

/** Everything is done at once. */
export const noDurations: Durations = {
  callMs: 0,
  instanceStartMs: 0,
  instanceStopMs: 0,
  osScriptMs: 0,
  migrationSpeed: Infinity,
  syncSpeed: Infinity,
  copySpeed: Infinity,
};

/** Like small machines in one room, some ten times as fast as one would wait for. */
export const briskDurations: Durations = {
  callMs: 5,
  instanceStartMs: 200,
  instanceStopMs: 500,
  osScriptMs: 1000,
  migrationSpeed: 1024,
  syncSpeed: 600,
  copySpeed: 2000,
};
