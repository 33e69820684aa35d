/** ganetiNodes: a back end of Ganeti's node daemons, called with the certificate of this node. */

import type { Snapshot } from "@ganeti-ts/config";
import { type GanetiSite, systemResolver } from "@ganeti-ts/machines";
import {
  beElected,
  type CallPlaces,
  fencedCalls,
  introducedClient,
  type MasterWatch,
  masterMachine,
  NotMasterError,
} from "@ganeti-ts/takeover";
import type { Log } from "../../log.js";
import type { ChosenNodes } from "../simulation.js";
import { ganetiConsoles } from "./ganeti-consoles.js";

/** How this server becomes the master. */
export interface Election {
  /** Whether a majority of nodes must name this one as the master. */
  readonly asksNodes: boolean;
  /** Whether machines that have left the cluster are cleaned up over ssh. */
  readonly clearsFormerNodes: boolean;
  /** Called when this node may be the master, before anything is changed. */
  readonly elected: () => Promise<void>;
  /** Called when another node is the master, before the refusal is thrown. */
  readonly lost: () => Promise<void>;
  /** Repeated votes while this server is the master. */
  readonly watch: MasterWatch;
  readonly log: Log;
}

/**
 * @param records where calls in flight are recorded
 * @param election undefined: no vote is held, for trials
 * @throws TakeoverError if the certificates of this node cannot be read; NotMasterError if it is not the master
 */
export const ganetiNodes = (
  site: GanetiSite,
  records: CallPlaces,
  election?: Election,
): ChosenNodes => ({
  async nodes(now) {
    const client = await introducedClient(site, now().nodes());
    try {
      checkMaster(now(), site);
      if (election?.asksNodes) await beElected(client, now(), site.host, election.log);
      await election?.elected();
    } catch (error) {
      if (error instanceof NotMasterError) await election?.lost();
      throw error;
    }
    election?.watch.begin(client, now);
    const { inFlight, fence } = await fencedCalls(records, { site, client, now });
    return {
      backend: inFlight.recording(client),
      fence,
      callsEnded: (lease) => inFlight.ended(lease),
      masterHost: {
        ...masterMachine(site, now),
        clearsFormerNodes: election?.clearsFormerNodes ?? false,
      },
      bringsUpMasterAddress: true,
    };
  },
  resolver: systemResolver,
  practice: undefined,
  consoles: ganetiConsoles(site),
});

/** @throws NotMasterError */
function checkMaster(now: Snapshot, { host }: GanetiSite): void {
  const { name } = now.expectNode(now.cluster.master_node);
  if (name === host) return;
  throw new NotMasterError(`this is ${host}, but the master of the cluster is ${name}`);
}
