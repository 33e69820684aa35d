/** Figures of all exchanges of one call since the client was created. */
interface CallFigures {
  readonly calls: number;
  /** Calls that returned no value, whatever the reason. */
  readonly failures: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  readonly millisecondsTotal: number;
  readonly millisecondsMax: number;
}

/** Figures of a client's calls. */
export interface NodeRpcMetrics {
  /** Figures by name of the call; calls that were never made are absent. */
  readonly calls: ReadonlyMap<string, CallFigures>;
  /** Number of running calls, and of calls that wait for a slot of their node. */
  readonly running: number;
  readonly waiting: number;
}

const none: CallFigures = {
  calls: 0,
  failures: 0,
  bytesSent: 0,
  bytesReceived: 0,
  millisecondsTotal: 0,
  millisecondsMax: 0,
};

/** A completed exchange. */
export interface EndedCall {
  readonly failed: boolean;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  readonly milliseconds: number;
}

export class Figures {
  readonly byCall = new Map<string, CallFigures>();

  count(call: string, { failed, bytesSent, bytesReceived, milliseconds }: EndedCall): void {
    const before = this.byCall.get(call) ?? none;
    this.byCall.set(call, {
      calls: before.calls + 1,
      failures: before.failures + (failed ? 1 : 0),
      bytesSent: before.bytesSent + bytesSent,
      bytesReceived: before.bytesReceived + bytesReceived,
      millisecondsTotal: before.millisecondsTotal + milliseconds,
      millisecondsMax: Math.max(before.millisecondsMax, milliseconds),
    });
  }
}
