/** takeOver: another master candidate becomes the master of an adopted cluster, from the copies that it holds. */
import { type ConfigFile, Snapshot } from "@ganeti-ts/config";
import { lacksSecrets } from "@ganeti-ts/job-queue";
import { isFinalized, type Job } from "@ganeti-ts/protocol";
import type { Log } from "../../log.js";
import type { DataDirectory } from "../data-directory.js";
import type { Options } from "../options.js";
import { fillDirectory } from "./adopt.js";
import { introducedClient } from "./ganeti-nodes.js";
import {
  checkOwn,
  checkVotes,
  type Masters,
  mastersOf,
  newMasterIn,
  takeAddress,
  tellNodes,
} from "./new-master.js";
import { readOriginalConfiguration, readOriginalQueue } from "./original.js";
import type { GanetiSite } from "./site.js";
import { takeOverShared } from "./take-over-shared.js";

/**
 * Makes this node the master: all nodes that answer refuse the old one from then on, because its certificate is taken
 * off their list, and learn the name of the new master. The old one is removed from the candidates until an administrator adds it
 * again. Queued jobs go on, running ones end with an error. Where servers share a database, everything is taken from
 * there. @throws StartError with the reason, before anything changed
 */
export async function takeOver(
  options: Options,
  directory: DataDirectory,
  site: GanetiSite,
  log: Log,
): Promise<void> {
  if (options.store !== undefined) return takeOverShared(options, directory, site, log);
  const file = await readOriginalConfiguration(site);
  const queue = await readOriginalQueue(site);
  const before = Snapshot.of(file.content);
  const { own, old } = mastersOf(file, site);
  await checkOwn(site, file, own);
  const nodes = await introducedClient(site, file.content.nodes);
  if (!options.noVoting) await checkVotes(nodes, file, old);

  const content = withMaster(file.content, { own, old });
  await tellNodes(nodes, Snapshot.of(content), own, log);
  await takeAddress(nodes, before, old, log);
  const { runnable, lost } = sortedJobs(queue.jobs);
  for (const id of lost) log.warn({ job: id }, "a job without its secrets cannot be run; left out");
  await fillDirectory(options, directory, site, {
    file: { content, filters: file.filters },
    queue: { ...queue, jobs: runnable },
    // The candidates may lack changes of the last second before the end of the old master.
    queueIsComplete: false,
  });
  log.info({ from: old.name, to: own.name }, "this node is the master now");
}

function withMaster(content: ConfigFile["content"], masters: Masters): ConfigFile["content"] {
  const { cluster, old } = newMasterIn(content.cluster, masters);
  return {
    ...content,
    serial: content.serial + 1,
    cluster: { ...cluster, serial_no: (cluster.serial_no ?? 0) + 1 },
    nodes: content.nodes.map((node) =>
      node.uuid === old.uuid ? { ...old, serial_no: (old.serial_no ?? 0) + 1 } : node,
    ),
  };
}

/** Jobs that can be stored, and the numbers of those that would need secrets. */
function sortedJobs(jobs: readonly Job[]) {
  const isPending = ({ opcodes }: Job) => opcodes.some(({ status }) => !isFinalized(status));
  const lost = jobs.filter((job) => isPending(job) && lacksSecrets(job));
  return { runnable: jobs.filter((job) => !lost.includes(job)), lost: lost.map(({ id }) => id) };
}
