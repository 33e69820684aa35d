/** Decisions of the watcher about a node group, computed by pure functions from its view and its notes. */
import type { GroupView, WatchedInstance } from "./group-view.js";
import {
  attemptsOf,
  currentNotes,
  type WatcherNotes,
  withAttempt,
  withBootIds,
  withoutInstance,
} from "./notes.js";

/** Maximum number of restarts, and of cleanups, before an instance is left alone. */
export const attemptsMax = 5;

/**
 * | kind | meaning |
 * |---|---|
 * | `restart` | it should run and does not |
 * | `clean up` | its user has shut it down: it becomes an instance that should be down |
 * | `give up` | the limit is reached, which is reported once, as an error |
 * | `exhausted` | the limit was reached in an earlier round: left alone |
 * | `locked` | a job works on it, or is about to: the next round looks again |
 * | `recovered` | it was restarted, and runs |
 */
export interface InstanceVerdict {
  readonly kind: "restart" | "clean up" | "give up" | "exhausted" | "locked" | "recovered";
  readonly name: string;
  /** Number of the restart or cleanup: 1 is the first. */
  readonly attempt: number;
}

export interface InstanceJudgement {
  readonly verdicts: readonly InstanceVerdict[];
  /** Notes that already include the attempts of these verdicts. */
  readonly notes: WatcherNotes;
}

/** Whether nothing can be done, because the primary node is away. */
const isHelpless = ({ status }: WatchedInstance): boolean =>
  status === "ERROR_nodedown" || status === "ERROR_nodeoffline";

/** Names of instances that may need an action. */
export const amissIn = ({ unusual }: GroupView): readonly string[] =>
  unusual.flatMap((instance) => (wantedFor(instance) === undefined ? [] : [instance.name]));

/** @param isTaken whether another job works on the named instance, will decide about it, or has just changed it */
export function judgeInstances(
  view: GroupView,
  before: WatcherNotes,
  isTaken: (name: string) => boolean,
  nowSeconds: number,
): InstanceJudgement {
  // Most rounds have no attempts to look up, and thousands of instances.
  const noted = new Set(Object.keys(before.instance));
  const names = {
    instances: new Set(
      noted.size > 0 ? [...view.instances.map(({ name }) => name), ...view.split] : [],
    ),
    nodes: new Set(view.nodes.map(({ name }) => name)),
  };
  let notes = currentNotes(before, names, nowSeconds);
  const verdicts: InstanceVerdict[] = [];
  for (const instance of noted.size > 0 ? view.instances : view.unusual) {
    const { name } = instance;
    const what = wantedFor(instance);
    if (what === undefined) {
      if (!noted.has(name)) continue;
      const attempt = attemptsOf(notes, name, "restart");
      if (attempt > 0 && !isHelpless(instance)) verdicts.push({ kind: "recovered", name, attempt });
      if (notes.instance[name] !== undefined) notes = withoutInstance(notes, name);
      continue;
    }
    const made = attemptsOf(notes, name, what);
    if (isTaken(name)) {
      verdicts.push({ kind: "locked", name, attempt: made });
    } else if (made > attemptsMax) {
      verdicts.push({ kind: "exhausted", name, attempt: made });
    } else {
      notes = withAttempt(notes, name, what, nowSeconds);
      const acting = what === "restart" ? "restart" : "clean up";
      verdicts.push({ kind: made === attemptsMax ? "give up" : acting, name, attempt: made + 1 });
    }
  }
  return { verdicts, notes };
}

function wantedFor({ status, adminState }: WatchedInstance): "restart" | "cleanup" | undefined {
  if (status === "ERROR_down") return "restart";
  return status === "USER_down" && adminState !== "down" ? "cleanup" : undefined;
}

export interface RebootJudgement {
  /** Names of instances with copies of their disks on nodes that have booted. */
  readonly activations: readonly string[];
  readonly notes: WatcherNotes;
}

/**
 * A node that is seen for the first time does not count as rebooted: the verification of the same round finds disks that
 * are down there, and no others need a job.
 * @param started names of instances that are being started, which activates their disks as well
 */
export function judgeReboots(
  view: GroupView,
  before: WatcherNotes,
  started: ReadonlySet<string>,
): RebootJudgement {
  const booted = new Set<string>();
  const fresh = new Map<string, string>();
  for (const { name, bootId } of view.nodes) {
    const known = before.node[name]?.bootid;
    if (bootId === undefined || known === bootId) continue;
    if (known !== undefined) booted.add(name);
    fresh.set(name, bootId);
  }
  const isConcerned = ({ name, disksActive, secondaries }: WatchedInstance) =>
    disksActive && !started.has(name) && secondaries.some((node) => booted.has(node));
  // Most rounds find no node that has booted.
  const activations =
    booted.size === 0 ? [] : view.instances.filter(isConcerned).map(({ name }) => name);
  return { activations, notes: withBootIds(before, fresh) };
}

/** Instances with disks found down whose disks can be activated now. */
export function judgeOfflineDisks(
  view: GroupView,
  offline: readonly string[],
): { readonly activations: readonly string[]; readonly skipped: readonly string[] } {
  if (offline.length === 0) return { activations: [], skipped: [] };
  const byName = new Map(view.instances.map((one) => [one.name, one]));
  const activations: string[] = [];
  const skipped: string[] = [];
  for (const name of offline) {
    const instance = byName.get(name);
    const canHelp = instance && !isHelpless(instance) && !instance.hasOfflineSecondary;
    (canHelp ? activations : skipped).push(name);
  }
  return { activations, skipped };
}
