/** worldOf: the world of a server, or of a shadow, on its cluster. */
import type { Cluster } from "@ganeti-ts/cluster";
import { systemClock } from "@ganeti-ts/protocol";
import { ConsoleTokens } from "../console/tokens.js";
import { createGates } from "../http/gate.js";
import { JobTexts } from "../job-texts.js";
import { objectTexts, type PreparedTexts } from "../lists/object-texts.js";
import { createMetrics } from "../metrics.js";
import { installedUi } from "../ui/files.js";
import type { World } from "../world.js";
import { type AccessPorts, accessParts } from "./access-parts.js";
import type { DataDirectory } from "./data-directory.js";
import { gateGauge } from "./gauges.js";
import type { Options } from "./options.js";
import { sessionKey } from "./session-key.js";
import { settingsOf } from "./settings.js";

type Own = Pick<World, "practice" | "consoles" | "confd" | "note" | "refusal">;

interface WorldParts extends Own, Pick<AccessPorts, "users" | "access" | "log"> {
  readonly directory: Pick<DataDirectory, "sessionKey">;
  /** Origin of the cluster, which decides whether anonymous clients may read. */
  readonly origin: "made here" | "Ganeti";
}

export function worldOf(
  options: Options,
  cluster: Cluster,
  { users, access, log, directory, origin, ...own }: WorldParts,
): World & { readonly texts: PreparedTexts } {
  const { queue, objects, planner, events } = cluster;
  const clock = systemClock;
  const metrics = createMetrics();
  const gates = createGates(options.clientsMax);
  metrics.gauge(gateGauge(gates));
  return {
    ...{ queue, objects, planner, events, clock, log, metrics, gates },
    ...accessParts({
      ...{ users, access, clock, log, metrics },
      key: sessionKey(directory.sessionKey),
    }),
    ui: installedUi(),
    consoleTokens: new ConsoleTokens(Date.now),
    texts: objectTexts(cluster),
    jobs: new JobTexts(queue),
    settings: settingsOf(options, origin),
    ...own,
  };
}
