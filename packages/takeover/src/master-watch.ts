/** watchMaster: repeated votes on the master while this server is the master. */
import type { Snapshot } from "@ganeti-ts/config";
import type { NodeBackend } from "@ganeti-ts/node-calls";
import type { Timers } from "@ganeti-ts/protocol";
import { holdVote } from "./voting.js";

/** Interval (ms) at which all nodes are asked: one short call to each. */
const askMs = 30_000;

/** Repeated votes. */
export interface MasterWatch {
  /** Begins to ask, with the configuration that names the nodes. */
  begin(nodes: NodeBackend, now: () => Snapshot): void;
  /**
   * Why another node must be taken for the master: more than half of all nodes name it. Undefined otherwise. Does not
   * wait for nodes: a vote that is due is held in the background, and counts at a later call.
   */
  foreignMaster(): string | undefined;
}

/** @param host full name of this node */
export function watchMaster(host: string, clock: Pick<Timers, "now">): MasterWatch {
  let reason: string | undefined;
  let asked = 0;
  let hold: (() => Promise<void>) | undefined;
  let isVoting = false;
  return {
    begin(nodes, now) {
      asked = clock.now();
      hold = async () => {
        const { votes, voters } = await holdVote(nodes, { nodes: [...now().nodes()] }, host);
        const [name, count] = votes.find(([other]) => other !== host) ?? ["", 0];
        // A minority may have been unreachable when this node became the master: it will be sent the name again.
        if (2 * count > voters) reason = `${count} of ${voters} nodes take ${name} for the master`;
      };
    },
    foreignMaster() {
      if (hold !== undefined && !isVoting && clock.now() - asked >= askMs) {
        isVoting = true;
        asked = clock.now();
        void hold().finally(() => {
          isVoting = false;
        });
      }
      return reason;
    },
  };
}
