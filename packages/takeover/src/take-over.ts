/** takeOver: master failover of an adopted cluster, from the copies that a master candidate holds. */

import { type ConfigFile, Snapshot } from "@ganeti-ts/config";
import { archivedJobFileName, jobFileName, lacksSecrets } from "@ganeti-ts/job-queue";
import { type GanetiSite, siteOfNode } from "@ganeti-ts/machines";
import { dataDirectory, type NodeBackend } from "@ganeti-ts/node-calls";
import { isFinalized, type Job, JobId, type NodeObject } from "@ganeti-ts/protocol";
import { fillDirectory } from "./adopt.js";
import {
  checkOwn,
  checkVotes,
  type Masters,
  mastersOf,
  newMasterIn,
  takeAddress,
  tellNodes,
} from "./new-master.js";
import { introducedClient } from "./node-client.js";
import {
  isArchived,
  type OriginalQueue,
  readOriginalConfiguration,
  readOriginalQueue,
  readOriginalRest,
} from "./original.js";
import { type TakeoverChoices, takeOverShared } from "./take-over-shared.js";
import type { TakeoverPlace } from "./takeover-place.js";
import { anyCaller } from "./voting.js";

/**
 * Makes this node the master: all nodes that answer learn the name of the new master, and refuse the old one, because its
 * certificate is removed from their list. The old master is no longer a candidate until an administrator makes it one
 * again. Queued jobs continue; running ones end with an error. Where servers share a database, all data come from
 * there. @throws TakeoverError with the reason, before any change
 */
export async function takeOver(here: TakeoverPlace, how: TakeoverChoices): Promise<void> {
  if (here.isShared) return takeOverShared(here, how);
  const { log } = here;
  const file = await readOriginalConfiguration(here.site);
  const site = siteOfNode(here.site, file.content.nodes);
  const queue = await readOriginalQueue(site);
  await readOriginalRest(site);
  const before = Snapshot.of(file.content);
  const { own, old } = mastersOf(file, site);
  await checkOwn(site, file, own);
  const nodes = await introducedClient(site, file.content.nodes);
  if (!how.noVoting) await checkVotes(nodes, file, old);

  const content = withMaster(file.content, { own, old });
  await tellNodes(nodes, Snapshot.of(content), own, log);
  await putAside(nodes, Snapshot.of(content), own, await lostJobs(site, queue));
  await takeAddress(nodes, before, old, log);
  const { runnable, lost } = sortedJobs(queue.jobs);
  for (const id of lost) log.warn({ job: id }, "a job without its secrets cannot be run; left out");
  await fillDirectory(
    { ...here, site },
    {
      file: { content, filters: file.filters },
      queue: { ...queue, jobs: runnable },
      // The candidates may lack changes of the last second before the end of the old master.
      queueIsComplete: false,
    },
  );
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

/** Maximum number of job files moved, newest first: only the most recent ones can be missing on this node. */
const lostMax = 100;

/** Job ids that were assigned, but have no file on this node. */
async function lostJobs(site: GanetiSite, { serial, jobs }: OriginalQueue): Promise<JobId[]> {
  const known = new Set(jobs.map(({ id }) => Number(id)));
  const lost: JobId[] = [];
  for (let number = serial; number > Math.max(0, serial - lostMax); number--) {
    const id = JobId.parse(number);
    if (!known.has(number) && !(await isArchived(site, id))) lost.push(id);
  }
  return lost;
}

/**
 * Moves files that are missing here to the archive of the other candidates: the old master may have sent a job to them
 * and not to this node, and the job would run if one of them became the master. A node without the file refuses.
 */
async function putAside(
  nodes: NodeBackend,
  now: Snapshot,
  own: NodeObject,
  lost: readonly JobId[],
): Promise<void> {
  const queue = `${dataDirectory}/queue`;
  const candidates = [...now.nodes()].filter(
    ({ uuid, offline, master_candidate }) => master_candidate && !offline && uuid !== own.uuid,
  );
  const move = async ({ uuid }: NodeObject) => {
    for (const id of lost) {
      const [from, to] = [`${queue}/${jobFileName(id)}`, `${queue}/${archivedJobFileName(id)}`];
      await nodes.call(uuid, "jobqueue_rename", { renames: [{ from, to }] }, anyCaller);
    }
  };
  await Promise.all(candidates.map(move));
}

/** Jobs that can be stored, and the numbers of those that would need secrets. */
function sortedJobs(jobs: readonly Job[]) {
  const isPending = ({ opcodes }: Job) => opcodes.some(({ status }) => !isFinalized(status));
  const lost = jobs.filter((job) => isPending(job) && lacksSecrets(job));
  return { runnable: jobs.filter((job) => !lost.includes(job)), lost: lost.map(({ id }) => id) };
}
