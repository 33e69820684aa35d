// The server that comes after one that died.
import type { Configuration } from "@ganeti-ts/config";
import type { NodeBackend } from "@ganeti-ts/node-calls";
import { type Clock, systemClock } from "@ganeti-ts/protocol";
import { recoverHeld } from "../../src/recovery.js";

/** Its clock: calls of jobs that died cannot reach a node any more. */
export const aMinuteLater: Clock = {
  ...systemClock,
  wallMicros: () => systemClock.wallMicros() + 60_000_000,
};

/** Recovery of all jobs, as over. */
export const recoverAll = (config: Configuration, nodes: NodeBackend) =>
  recoverHeld(
    { config, nodes, lease: "9:1", signal: new AbortController().signal },
    async () => true,
  );
