/** Options of balancing; the defaults are those of hbal. */
export interface BalanceOptions {
  /** Moves only instances with an offline node. */
  readonly evacuationMode: boolean;
  /** Allows new nodes for drbd instances; without it they only fail over. */
  readonly diskMoves: boolean;
  /** Allows instances to change their primary; without it only secondaries change. */
  readonly instanceMoves: boolean;
  /** Allows an instance to leave its primary only by plain failover, unless that primary is offline. */
  readonly restrictedMigration: boolean;
  /** Allows moves to break soft limits (policy ratios, N+1, tags, plans). */
  readonly ignoreSoftErrors: boolean;
  /** Minimum improvement per step once the score is at most `minGainLimit`. */
  readonly minGain: number;
  readonly minGainLimit: number;
  /** Balancing ends when the score is within this distance of `optimum`. */
  readonly minScore: number;
  /** Negative: no limit. */
  readonly stepsMax: number;
  /**
   * In each step tries forthcoming instances first, which may then change both nodes at once; real instances
   * are tried only if no forthcoming one gains enough. Ganeti does neither.
   */
  readonly preferForthcoming: boolean;
}

/** Options of `hbal` where its command line says nothing. */
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
