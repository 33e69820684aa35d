/**
 * harep: repairs instances whose nodes are offline or, with --storage, fail, as far as tags allow. It keeps its state between runs in
 * tags of the instances. Source: Ganeti, HTools/Program/Harep.hs.
 */
import { type Cluster, DataError } from "@ganeti-ts/htools";
import { isFinalized } from "@ganeti-ts/protocol";
import { annotating } from "../jobs/annotation.js";
import { runJobs } from "../jobs/execute.js";
import { type Job, JobError, type ResultRunner } from "../jobs/job-runner.js";
import { luxiRunner } from "../jobs/luxi-runner.js";
import { loadSource } from "../loading/load-source.js";
import { luxiPath } from "../luxi/client.js";
import type { Ports } from "../ports.js";
import { ganetiVersion } from "../version.js";
import { delay, neededRepair, type Repair } from "./detect.js";
import { nodeRepairPolicy, type RepairPolicy, repairPolicy, repairTypes } from "./repair-policy.js";
import { tagged } from "./repair-record.js";
import { initialState, outdatedBy, type RepairState } from "./repair-state.js";
import { type Reporter, reporter, states } from "./report.js";
import type { HarepSettings } from "./settings.js";
import { lookAtStorage } from "./storage/look.js";
import { withFailing } from "./storage/node-storage.js";
import { storageRepair } from "./storage/storage-repair.js";
import { treatNodes } from "./storage/treat-nodes.js";

/** An instance with the state of its repair. */
interface Patient {
  readonly name: string;
  readonly policy: RepairPolicy;
  readonly repair: Repair | undefined;
  /** Why nothing can be done about lost data now. */
  readonly waits?: string;
  readonly state: RepairState;
}

/** Context that every step needs. */
interface Ward {
  readonly settings: HarepSettings;
  readonly ports: Ports;
  readonly report: Reporter;
  readonly runner: ResultRunner;
}

export async function runHarep(
  settings: HarepSettings,
  _operands: readonly string[],
  ports: Ports,
): Promise<number> {
  const cluster = await loadSource(settings, ports);
  const report = reporter(settings, ports);
  const connect = luxiRunner(await luxiPath(settings, ports), ports);
  const all = cluster.data.instances.map((_, index) => patientOf(cluster, index, ports));
  try {
    const looked = await forEach(connect, all, (patient, runner) =>
      checkPending(patient, { settings, ports, report, runner }),
    );
    const diagnosed = settings.storage
      ? await withStorage(cluster, looked, { settings, ports, report, runner: await connect() })
      : looked;
    const treated = await forEach(connect, diagnosed, (patient, runner) =>
      treat(patient, { settings, ports, report, runner }),
    );
    report.finish(treated.map(({ name, state, repair }) => ({ name, state, needs: repair?.type })));
  } catch (error) {
    if (!(error instanceof JobError)) throw error;
    throw new DataError(error.message, { cause: error });
  }
  return 0;
}

const secondsNow = ({ nowMicros }: Ports): number => Math.floor(nowMicros() / 1e6);

function patientOf(cluster: Cluster, index: number, ports: Ports): Patient {
  const { name, tags } = cluster.data.instances[index] as (typeof cluster.data.instances)[number];
  return {
    name,
    policy: repairPolicy(cluster, index, secondsNow(ports)),
    repair: neededRepair(cluster, index),
    state: initialState(name, tags),
  };
}

/** Repairs failing storage of nodes, and adds the repairs of instances that have lost copies of disks. */
async function withStorage(
  cluster: Cluster,
  patients: readonly Patient[],
  ward: Ward,
): Promise<Patient[]> {
  const { settings, ports, report, runner } = ward;
  try {
    const warn = (text: string) => ports.stderr(`Warning: ${text}\n`);
    const annotate = (opcode: Job[number]) => annotated([opcode], ward)[0] as Job[number];
    const findings = await lookAtStorage(cluster, { runner, ports, warn, annotate });
    const policies = new Map(patients.map(({ name, policy }) => [name, policy]));
    const room = await treatNodes(findings, {
      ...{ runner, ports, isDryRun: settings.dryRun, tell: report.tellNode },
      annotate: ({ opcode, why }) => annotated([opcode], ward, why)[0] as Job[number],
      allows: (name) => policies.get(name)?.kind === "enabled",
      allowsNode: (node) => nodeRepairPolicy(cluster, node, secondsNow(ports)).kind === "enabled",
    });
    const storage = new Map(withFailing(findings).instances.map((one) => [one.name, one]));
    return patients.map((patient) => {
      const own = storage.get(patient.name);
      if (own === undefined || patient.state.name !== "healthy") return patient;
      const found = storageRepair(own, room);
      if (found === undefined) return patient;
      return found.kind === "repair"
        ? { ...patient, repair: found.repair }
        : { ...patient, repair: undefined, waits: found.why };
    });
  } finally {
    runner.close();
  }
}

/** Runs sequentially, over one connection. */
async function forEach(
  connect: () => Promise<ResultRunner>,
  patients: readonly Patient[],
  step: (patient: Patient, runner: ResultRunner) => Promise<Patient>,
): Promise<Patient[]> {
  const runner = await connect();
  const after: Patient[] = [];
  try {
    for (const patient of patients) after.push(await step(patient, runner));
  } finally {
    runner.close();
  }
  return after;
}

/** Checks whether the jobs of a pending repair have ended, and with which result. */
async function checkPending(patient: Patient, ward: Ward): Promise<Patient> {
  const { name, state } = patient;
  const { record } = state;
  if (state.name !== "pending" || record === undefined) return patient;
  const statuses = await statusesOf(record.jobs, ward.runner);
  const seconds = secondsNow(ward.ports);
  if (!statuses.every(isFinalized)) return patient;
  const succeeded = statuses.every((status) => status === "success");
  const after: RepairState = {
    name: succeeded ? "healthy" : "failed",
    record: tagged({ ...record, seconds, result: succeeded ? "success" : "failure" }),
    outdated: outdatedBy(state),
  };
  ward.report.tell(name, { kind: "ended", from: states[state.name], to: states[after.name] });
  return { ...patient, state: await commit(name, after, ward) };
}

async function statusesOf(ids: Parameters<ResultRunner["statuses"]>[0], runner: ResultRunner) {
  try {
    return await runner.statuses(ids);
  } catch (error) {
    if (!(error instanceof JobError)) throw error;
    const why = error.message.replace("Checking job status: ", "");
    throw new JobError(`could not check job status: ${why}`, { cause: error });
  }
}

/** Starts a repair if the instance needs one and its policy allows it. */
async function treat(patient: Patient, ward: Ward): Promise<Patient> {
  const { name, policy, repair, state, waits } = patient;
  if (waits !== undefined) ward.report.tell(name, { kind: "waiting", why: waits });
  if (repair === undefined || state.name !== "healthy") return patient;
  switch (policy.kind) {
    case "not-enabled":
      ward.report.tell(name, { kind: "not-enabled" });
      return patient;
    case "suspended":
      ward.report.tell(name, { kind: "suspended", until: policy.until ?? null });
      return patient;
    case "enabled": {
      const tooStrong = repairTypes.indexOf(repair.type) > repairTypes.indexOf(policy.upTo);
      const after = tooStrong
        ? refuse(patient, repair, policy.upTo, ward)
        : await start(patient, repair, ward);
      return { ...patient, state: await commit(name, after, ward) };
    }
  }
}

function refuse(
  { name, state }: Patient,
  { type }: Repair,
  upTo: Repair["type"],
  { ports, report }: Ward,
): RepairState {
  const [id, seconds] = [ports.freshId(), secondsNow(ports)];
  report.tell(name, { kind: "too-strong", type, upTo });
  const record = tagged({ type, id, seconds, jobs: [], result: "enoperm" });
  return { name: "needed", record, outdated: outdatedBy(state) };
}

async function start({ name, state }: Patient, repair: Repair, ward: Ward): Promise<RepairState> {
  const { settings, ports, report, runner } = ward;
  const { type } = repair;
  const { jobDelaySeconds, dryRun, explain } = settings;
  const why = explain ? repair.why : undefined;
  const waiting = jobDelaySeconds > 0 ? [delay(jobDelaySeconds)] : [];
  const opcodes = [...waiting, ...repair.opcodes];
  const [id, seconds] = [ports.freshId(), secondsNow(ports)];
  const tell = (jobs: Awaited<ReturnType<ResultRunner["submit"]>>) =>
    report.tell(name, {
      ...{ kind: "repair", type, jobs: [...jobs], opcodes },
      ...(why !== undefined && { why }),
    });
  // Text is printed before the tags are set; the document is complete only afterwards.
  if (!settings.json) tell([]);
  const jobs = dryRun ? [] : await runner.submit([annotated(opcodes, ward, why)]);
  if (settings.json) tell(jobs);
  const record = tagged({ type, id, seconds, jobs, result: undefined });
  return { name: "pending", record, outdated: outdatedBy(state) };
}

/** Stores a state in the tags of its instance, and waits until the tags are set. */
async function commit(instance: string, state: RepairState, ward: Ward): Promise<RepairState> {
  const change = async (OP_ID: string, tags: readonly string[]) => {
    if (ward.settings.dryRun) return;
    const job = annotated([{ OP_ID, kind: "instance", tags, name: instance }], ward);
    const ended = await runJobs(ward.runner, [job], ward.ports);
    const failed = ended.filter(({ status }) => status !== "success");
    if (failed.length === 0) return;
    const list = failed.map(({ id, status }) => `${id}=>${status}`).join(", ");
    throw new JobError(`The following jobs failed: ${list}`);
  };
  if (state.record !== undefined) {
    const { tag } = state.record;
    ward.report.tell(instance, { kind: "tag-added", tag });
    await change("OP_TAGS_SET", [tag]);
  }
  if (state.outdated.length > 0) {
    ward.report.tell(instance, { kind: "tags-removed", tags: [...state.outdated] });
    await change("OP_TAGS_DEL", state.outdated);
  }
  return { ...state, outdated: [] };
}

function annotated(opcodes: Job, { settings, ports }: Ward, why?: string): Job {
  return opcodes.map(
    annotating({
      source: "harep",
      comment: `automated repairs by harep ${ganetiVersion}`,
      reason: settings.reason,
      why,
      nowMicros: ports.nowMicros(),
    }),
  );
}
