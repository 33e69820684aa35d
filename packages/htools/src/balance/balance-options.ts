/** What balancing may do and when it ends; every default is that of hbal. */
export interface BalanceOptions {
  /** Moves only instances that have a node that is offline. */
  readonly evacuationMode: boolean;
  /** Lets drbd instances get other nodes; without it they only fail over. */
  readonly diskMoves: boolean;
  /** Lets instances run elsewhere; without it only secondaries change. */
  readonly instanceMoves: boolean;
  /** Lets an instance leave its primary only by plain failover, unless that primary is offline. */
  readonly restrictedMigration: boolean;
  /** Lets moves break soft limits (policy ratios, N+1, tags, plans). */
  readonly ignoreSoftErrors: boolean;
  /** The least a step must improve the score by, once that is at most `minGainLimit`. */
  readonly minGain: number;
  readonly minGainLimit: number;
  /** Ends when the score is no further than this above `optimum`. */
  readonly minScore: number;
  /** Negative: no limit. */
  readonly stepsMax: number;
  /**
   * In each step tries forthcoming instances alone first, which may then change both nodes at once;
   * real ones are tried only when no reservation can be moved with enough gain. Ganeti does neither.
   */
  readonly preferForthcoming: boolean;
}

export const balanceDefaults: BalanceOptions = {
  evacuationMode: false,
  diskMoves: true,
  instanceMoves: true,
  restrictedMigration: false,
  ignoreSoftErrors: false,
  minGain: 0.01,
  minGainLimit: 0.1,
  minScore: 1e-9,
  stepsMax: -1,
  preferForthcoming: false,
};
