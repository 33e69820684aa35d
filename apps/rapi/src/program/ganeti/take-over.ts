/** takeOver: another master candidate becomes the master of an adopted cluster, from the copies that it holds. */
import { type ConfigFile, Snapshot, ssconfValues } from "@ganeti-ts/config";
import { archivedJobFileName, jobFileName, lacksSecrets } from "@ganeti-ts/job-queue";
import { dataDirectory, type NodeBackend } from "@ganeti-ts/node-calls";
import { isFinalized, type Job, JobId, type NodeObject } from "@ganeti-ts/protocol";
import type { Log } from "../../log.js";
import type { DataDirectory } from "../data-directory.js";
import type { Options } from "../options.js";
import { StartError } from "../start-error.js";
import { fillDirectory } from "./adopt.js";
import { introducedClient } from "./ganeti-nodes.js";
import { livingDaemons } from "./kept-down.js";
import {
  isArchived,
  type OriginalQueue,
  ownDigest,
  readOriginalConfiguration,
  readOriginalQueue,
} from "./original.js";
import { type GanetiSite, siteOfNode } from "./site.js";
import { anyCaller, holdVote } from "./voting.js";

/**
 * Makes this node the master: all nodes that answer refuse the old one from then on, because its certificate is taken
 * off their list, and learn the name of the new master. The old one is removed from the candidates until an administrator adds it
 * again. Queued jobs go on, running ones end with an error. @throws StartError with the reason, before anything changed
 */
export async function takeOver(
  options: Options,
  directory: DataDirectory,
  here: GanetiSite,
  log: Log,
): Promise<void> {
  const file = await readOriginalConfiguration(here);
  const site = siteOfNode(here, file.content.nodes);
  const queue = await readOriginalQueue(site);
  const before = Snapshot.of(file.content);
  const { own, old } = mastersOf(file, site);
  await checkOwn(site, file, own);
  const nodes = await introducedClient(site, file.content.nodes);
  if (!options.noVoting) await checkVotes(nodes, file, old);

  const content = withMaster(file.content, own, old);
  await tellNodes(nodes, Snapshot.of(content), own, log);
  const address = addressOf(before);
  await putAside(nodes, Snapshot.of(content), own, await lostJobs(site, queue));
  const given = await nodes.call(old.uuid, "node_deactivate_master_ip", address, anyCaller);
  if (!given.ok) {
    const problem = given.message;
    log.warn(
      { node: old.name, problem },
      "could not take the cluster's address from the old master",
    );
  }
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

const addressOf = ({ cluster }: Snapshot) => ({
  uuid: cluster.master_node,
  ip: cluster.master_ip,
  netdev: cluster.master_netdev,
  netmask: cluster.master_netmask,
  family: cluster.primary_ip_family === 10 ? (6 as const) : (4 as const),
  externalScript: cluster.use_external_mip_script,
});

function mastersOf({ content }: ConfigFile, { host }: GanetiSite) {
  const own = content.nodes.find(({ name }) => name === host);
  const old = content.nodes.find(({ uuid }) => uuid === content.cluster.master_node);
  if (own === undefined) throw new StartError(`${host} is not a node of the cluster`);
  if (old === undefined) throw new StartError("config.data names no master");
  if (own.uuid === old.uuid) throw new StartError(`${host} is already the master`);
  return { own, old };
}

async function checkOwn(site: GanetiSite, { content }: ConfigFile, own: NodeObject): Promise<void> {
  if (!own.master_candidate || own.offline) {
    throw new StartError(`${own.name} is not a master candidate`);
  }
  const digest = await ownDigest(site);
  if (content.cluster.candidate_certs[own.uuid] !== digest) {
    throw new StartError(`config.data does not list the certificate of ${own.name}`);
  }
  const [daemon] = await livingDaemons(site);
  if (daemon !== undefined) {
    throw new StartError(`${daemon.name} is running (process ${daemon.pid})`);
  }
}

/** More than half of all nodes must answer, and those that do must still name the old master. */
async function checkVotes(nodes: NodeBackend, { content }: ConfigFile, old: NodeObject) {
  const { votes, voters } = await holdVote(nodes, content, old.name);
  const answered = votes.reduce((sum, [, count]) => sum + count, 0);
  if (2 * answered <= voters) {
    throw new StartError(
      `only ${answered} of ${voters} nodes answer; --no-voting skips this, and may make two masters`,
    );
  }
  const [named] = votes[0] ?? [];
  if (named !== old.name) {
    throw new StartError(
      `the configuration of this node names ${old.name} as the master, but most nodes name ${named}: it is outdated`,
    );
  }
}

/** The old master keeps its instances, but is neither master nor candidate. */
function withMaster(
  content: ConfigFile["content"],
  own: NodeObject,
  old: NodeObject,
): ConfigFile["content"] {
  const { [old.uuid]: _, ...candidate_certs } = content.cluster.candidate_certs;
  const serial_no = (content.cluster.serial_no ?? 0) + 1;
  return {
    ...content,
    serial: content.serial + 1,
    cluster: { ...content.cluster, master_node: own.uuid, candidate_certs, serial_no },
    nodes: content.nodes.map((node) =>
      node.uuid === old.uuid
        ? { ...node, master_candidate: false, serial_no: (node.serial_no ?? 0) + 1 }
        : node,
    ),
  };
}

/** The list of certificates first, and alone: it is the fence. @throws StartError if this node itself refuses */
async function tellNodes(
  nodes: NodeBackend,
  now: Snapshot,
  own: NodeObject,
  log: Log,
): Promise<void> {
  const values = ssconfValues(now);
  const { master_candidates_certs = "" } = values;
  const online = [...now.nodes()].filter(({ offline }) => !offline);
  const send = (node: NodeObject, some: Readonly<Record<string, string>>) =>
    nodes.call(node.uuid, "write_ssconf_files", { values: linesOf(some) }, anyCaller);
  const fences = await Promise.all(online.map((node) => send(node, { master_candidates_certs })));
  await Promise.all(
    online.map(async (node, at) => {
      // A node that is silent costs seconds each time.
      const fence = fences[at];
      const answer = fence === undefined || fence.ok ? await send(node, values) : fence;
      if (answer.ok) return;
      if (node.uuid === own.uuid) throw new StartError(`${node.name}: ${answer.message}`);
      log.warn(
        { node: node.name, problem: answer.message },
        "the node was not told of the new master",
      );
    }),
  );
}

/** Files moved at most, the newest ones: only those of the last moments can be missing here. */
const lostMax = 100;

/** Numbers that were given out, but of whose jobs this node has no file. */
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
 * Another candidate may have the file of a job that the old master could not send to this node any more. It is moved to the
 * archive there, or the job would be run if that node became the master one day. A node without the file refuses.
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

const linesOf = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(values).map(([key, text]) => [
      key,
      text === "" ? [] : text.replace(/\n$/, "").split("\n"),
    ]),
  );

/** Jobs that can be stored, and the numbers of those that would need secrets. */
function sortedJobs(jobs: readonly Job[]) {
  const isPending = ({ opcodes }: Job) => opcodes.some(({ status }) => !isFinalized(status));
  const lost = jobs.filter((job) => isPending(job) && lacksSecrets(job));
  return { runnable: jobs.filter((job) => !lost.includes(job)), lost: lost.map(({ id }) => id) };
}
