/** bringCopies: files in Ganeti's formats for a cluster of real machines made by an older version without them. */

import { chmodSync, copyFileSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Cluster } from "@ganeti-ts/cluster";
import { Configuration } from "@ganeti-ts/config";
import { ganetiSite, siteOfNode } from "@ganeti-ts/machines";
import { secureRandom, systemClock } from "@ganeti-ts/protocol";
import type { Log } from "../../log.js";
import type { DataDirectory } from "../data-directory.js";
import type { Options } from "../options.js";
import { withStores } from "../stores.js";
import { firstCopies } from "./first-copies.js";

/**
 * At the first start of a version with copies: writes the master's files, and moves users and certificate of the remote
 * API to their new place. Resolves to whether it did: the server then sends configuration and queue by itself, and the
 * other files when `sendCommonFiles` is called.
 */
export async function bringCopies(
  options: Options,
  directory: DataDirectory,
  log: Log,
): Promise<boolean> {
  if (!existsSync(directory.realNodes) || existsSync(directory.adopted)) return false;
  return withStores(options, directory, async ({ config }) => {
    const ports = { clock: systemClock, random: secureRandom };
    const { snapshot } = await Configuration.open(config, ports);
    const site = siteOfNode(ganetiSite(options, process.env), [...snapshot.nodes()]);
    copied(directory.users, join(site.data, "rapi", "users"), 0o640);
    copied(directory.certificate, join(site.data, "rapi.pem"), 0o600);
    await firstCopies(snapshot, site, directory, { queueIsComplete: false });
    log.info({ folder: site.data }, "master candidates get copies of this cluster from now on");
    return true;
  });
}

/** Sends users, certificates and keys to all nodes, like `gnt-cluster redist-conf`. */
export async function sendCommonFiles({ queue }: Pick<Cluster, "queue">): Promise<void> {
  await queue.submitToDrained([{ OP_ID: "OP_CLUSTER_REDIST_CONF" }]);
}

function copied(from: string, to: string, mode: number): void {
  if (!existsSync(from) || existsSync(to)) return;
  mkdirSync(dirname(to), { recursive: true, mode: 0o750 });
  copyFileSync(from, to);
  chmodSync(to, mode);
}
