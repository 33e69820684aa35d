/** adoptionFindings: checks before a takeover: reasons against it, and points to know beforehand. */

import { readFile } from "node:fs/promises";
import { type ConfigFile, nonAsciiPlaces, protocolVersion } from "@ganeti-ts/config";
import { lacksSecrets } from "@ganeti-ts/job-queue";
import type { GanetiSite } from "@ganeti-ts/machines";
import type { NodeBackend } from "@ganeti-ts/node-calls";
import { isFinalized, type Job, type NodeObject, readOpcode } from "@ganeti-ts/protocol";
import { certificateFindings } from "./certificate-dates.js";
import { configurationNotes } from "./configuration-notes.js";
import { livingDaemons } from "./kept-down.js";
import { absent } from "./local-files.js";
import { type OriginalQueue, ownDigest, readSsconf } from "./original.js";
import { anyCaller, holdVote, voteFault } from "./voting.js";

/** Result of the checks before an adoption, in sentences for people. */
export interface Findings {
  /** Why the cluster cannot be taken over as it is. */
  readonly refusals: readonly string[];
  /** Differences to expect, and points that need attention. */
  readonly notes: readonly string[];
}

interface Found {
  refusals: string[];
  notes: string[];
}

/** Changes nothing; two calls to each node, and one more to those that could have the cluster's address. */
export async function adoptionFindings(
  site: GanetiSite,
  { content, filters }: ConfigFile,
  queue: OriginalQueue,
  nodes: NodeBackend,
): Promise<Findings> {
  const found: Found = { refusals: [], notes: [] };
  const { cluster } = content;
  const master = content.nodes.find(({ uuid }) => uuid === cluster.master_node);
  await judgeMaster(site, master, found);
  await judgeDaemons(site, found);
  for (const place of nonAsciiPlaces({ ...byNames(content), filters })) {
    found.refusals.push(`config.data: characters outside of ASCII in ${place}`);
  }
  found.notes.push(...configurationNotes(content));
  await judgeCertificate(site, cluster.candidate_certs, found);
  const dates = await certificateFindings(site, Date.now());
  found.refusals.push(...dates.refusals);
  found.notes.push(...dates.notes);
  await judgeJobs(queue, found);
  await judgeNodes(site, content, nodes, found);
  if (cluster.use_external_mip_script) {
    found.notes.push(
      "the external master IP script is not sent to nodes, because their daemons refuse it",
    );
  }
  if (queue.drained) found.notes.push("the queue is drained, and stays so");
  return found;
}

/** Objects by name, so that messages show names in place of positions. */
const byNames = (content: ConfigFile["content"]) => ({
  cluster: content.cluster,
  nodes: named(content.nodes),
  groups: named(content.groups),
  instances: named(content.instances),
  disks: named(content.disks),
  networks: named(content.networks),
});

const named = (objects: readonly { readonly uuid: string; readonly name?: string | undefined }[]) =>
  Object.fromEntries(objects.map((object) => [object.name ?? object.uuid, object]));

async function judgeMaster(
  site: GanetiSite,
  master: NodeObject | undefined,
  { refusals }: Found,
): Promise<void> {
  if (master?.name !== site.host) {
    refusals.push(`this is ${site.host}, but the master of the cluster is ${master?.name}`);
  }
  const ssconf = await readSsconf(site, "master_node");
  if (ssconf !== site.host) {
    refusals.push(`ssconf_master_node names ${ssconf || "no node"}, not ${site.host}`);
  }
}

async function judgeDaemons(site: GanetiSite, { refusals }: Found): Promise<void> {
  for (const { name, pid } of await livingDaemons(site)) {
    refusals.push(`${name} is running (process ${pid}): stop Ganeti's master daemons first`);
  }
}

async function judgeCertificate(
  site: GanetiSite,
  digests: Readonly<Record<string, string>>,
  { refusals }: Found,
): Promise<void> {
  const digest = await ownDigest(site);
  const listed = (await readSsconf(site, "master_candidates_certs")) ?? "";
  if (!Object.values(digests).includes(digest)) {
    refusals.push("config.data does not list the certificate of this node (candidate_certs)");
  }
  if (!listed.includes(digest)) {
    refusals.push("ssconf_master_candidates_certs does not list the certificate of this node");
  }
}

async function judgeJobs({ jobs, faults }: OriginalQueue, { refusals, notes }: Found) {
  for (const fault of faults) notes.push(`${fault}: the job is left out`);
  for (const job of jobs) {
    const statuses = job.opcodes.map(({ status }) => status);
    if (statuses.every(isFinalized)) continue;
    if (statuses.some((status) => status === "running" || status === "waiting")) {
      if (await isRunning(job)) {
        refusals.push(`job ${job.id} is running: wait for its end, with the queue drained`);
        continue;
      }
      notes.push(
        `job ${job.id} was interrupted: it ends with an error, or is run if it had not begun`,
      );
    }
    if (lacksSecrets(job)) {
      refusals.push(`job ${job.id} needs secrets that its file does not contain: cancel it`);
      continue;
    }
    const unread = job.opcodes.map(({ input }) => readOpcode(input)).find(({ ok }) => !ok);
    if (unread !== undefined && !unread.ok) {
      refusals.push(`job ${job.id} cannot be carried out: ${unread.problem}`);
    } else notes.push(`job ${job.id} is pending, and will be run`);
  }
}

/** Whether the process of a job lives: its number may have been given to another program. */
async function isRunning({ processId, id }: Job): Promise<boolean> {
  if (processId === undefined) return false;
  const words = await readFile(`/proc/${processId}/cmdline`, "utf8").catch(absent);
  return words !== undefined && /jqueue|ganeti/.test(words) && words.includes(String(id));
}

async function judgeNodes(
  site: GanetiSite,
  content: ConfigFile["content"],
  nodes: NodeBackend,
  { refusals, notes }: Found,
): Promise<void> {
  const fault = voteFault(await holdVote(nodes, content, site.host), site.host);
  if (fault !== undefined) refusals.push(fault);
  const { master_ip: address } = content.cluster;
  await Promise.all(
    content.nodes.map(async ({ uuid, name, offline }) => {
      if (offline) return;
      const version = await nodes.call(uuid, "version", {}, anyCaller);
      if (!version.ok) notes.push(`node ${name} does not answer: ${version.message}`);
      else if (version.value.protocol !== protocolVersion) {
        refusals.push(`node ${name} has version ${version.value.protocol}, not ${protocolVersion}`);
      }
      // All nodes of a virtual cluster are this machine, with its addresses.
      if (name === site.host || site.root !== undefined || !version.ok) return;
      const has = await nodes.call(uuid, "node_has_ip_address", { address }, anyCaller);
      if (has.ok && has.value) refusals.push(`node ${name} has the cluster's address ${address}`);
    }),
  );
}
