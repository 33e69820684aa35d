/** Mode: the task of the program, with the options of this task alone. */
import type { JoiningNode } from "@ganeti-ts/machines";
import { type Given, UsageError, whole } from "./option-words.js";

/** Modes that serve a cluster, with the step before that. */
type ServingMode =
  | { readonly kind: "serve" }
  /** Creates the cluster unless there is one. */
  | { readonly kind: "init"; readonly cluster: NewCluster }
  /** Takes over the Ganeti cluster of this machine. `upgrade`: accepts configurations of Ganeti 2.x. */
  | { readonly kind: "adopt"; readonly upgrade: boolean }
  /** Makes this master candidate the master of an adopted cluster. */
  | { readonly kind: "take-over" };

export type Mode =
  | ServingMode
  /** Creates the cluster, which must not exist yet. */
  | { readonly kind: "create"; readonly cluster: NewCluster }
  /** Checks whether an adoption is possible, and changes nothing. */
  | { readonly kind: "check-adoption"; readonly upgrade: boolean }
  | HandBackMode
  | ShadowMode
  | TwinMode
  | { readonly kind: "backup"; readonly file: string }
  | { readonly kind: "restore"; readonly file: string }
  | MachineMode
  /** Prints a unit for systemd that starts a server with these options. */
  | { readonly kind: "print-unit" };

export interface NewCluster {
  readonly name: string;
  /** A file with JSON, or `-`; undefined: default settings. */
  readonly settingsFile: string | undefined;
  /** Number of simulated nodes, and of groups. */
  readonly nodeCount: number;
  readonly groupCount: number;
  /** Creates the cluster even if its nodes hold disks of another one. */
  readonly overNodes: boolean;
}

/** Gives the cluster back to Ganeti's own daemons. */
export interface HandBackMode {
  readonly kind: "hand-back";
  /** Only reports what would be lost. */
  readonly check: boolean;
  /** Hands back even if parts are lost. */
  readonly drop: boolean;
  /** Leaves the queue drained. */
  readonly stayDrained: boolean;
}

/** Follows a running cluster, only reads, and compares answers. */
export interface ShadowMode {
  readonly kind: "shadow";
  /** URL of the original's remote API. */
  readonly original: string;
  /** Compares once, without serving. */
  readonly once: boolean;
  /** Reports as lines of JSON. */
  readonly json: boolean;
  /** Time between two comparisons, if nothing changes. */
  readonly intervalMs: number;
  /** The certificate of the URL is not verified. */
  readonly insecure: boolean;
}

/** Creates a twin of another cluster. */
export interface TwinMode {
  readonly kind: "twin";
  /** A file or URL. */
  readonly source: string;
  /** Another file or URL, with the figures. */
  readonly figures: string | undefined;
  /** Certificates of a URL are not verified. */
  readonly insecure: boolean;
  readonly overNodes: boolean;
}

/** Changes of machines of a cluster of real nodes; `--prepare-node` and `--release-node` may be given together. */
export interface MachineMode {
  readonly kind: "machines";
  /** A machine that is to join the cluster. */
  readonly prepared: JoiningNode | undefined;
  /** A machine that has left it. */
  readonly released: Pick<JoiningNode, "name" | "primaryIp"> | undefined;
  /** Stops the daemon of this machine, and removes the files of its destroyed cluster. */
  readonly leaves: boolean;
}

/** @throws UsageError for options that exclude or need each other */
export function modeOf(values: Given, nodes: "simulated" | "ganeti"): Mode {
  const shadow = shadowOf(values);
  const twin = twinOf(values);
  const cluster = newClusterOf(values, nodes);
  const adoption = adoptionOf(values);
  const { backup, restore } = values;
  if (values["print-unit"]) return { kind: "print-unit" };
  if (backup !== undefined) return { kind: "backup", file: backup };
  if (restore !== undefined) return { kind: "restore", file: restore };
  if (shadow !== undefined) return shadow;
  if (twin !== undefined) return twin;
  if (cluster !== undefined && values["init-only"]) return { kind: "create", cluster };
  const machines = machinesOf(values);
  if (machines !== undefined) return machines;
  if (adoption !== undefined) return adoption;
  return cluster === undefined ? { kind: "serve" } : { kind: "init", cluster };
}

/** @throws UsageError */
function newClusterOf(values: Given, nodes: "simulated" | "ganeti"): NewCluster | undefined {
  const nodeCount =
    nodes === "ganeti" ? 0 : whole("--nodes", values.nodes, { usual: 4, min: 1, max: 1000 });
  const groupCount = whole("--groups", values.groups, { usual: 2, min: 1, max: 100 });
  if (values.init === undefined) return undefined;
  const overNodes = values["over-nodes"] ?? false;
  return { name: values.init, settingsFile: values["init-with"], nodeCount, groupCount, overNodes };
}

/** @throws UsageError */
function adoptionOf(values: Given): Mode | undefined {
  const { adopt = false, "hand-back": handBack = false, "take-over": takeOver = false } = values;
  if (takeOver && (adopt || handBack || values.init !== undefined)) {
    throw new UsageError("--take-over goes with none of --adopt, --hand-back and --init");
  }
  if (adopt && (handBack || values.init !== undefined)) {
    throw new UsageError("--adopt goes with none of --hand-back and --init");
  }
  const needs = (
    option: "check" | "upgrade" | "drop" | "stay-drained",
    isGiven: boolean,
    wanted: string,
  ) => {
    if (values[option] && !isGiven) throw new UsageError(`--${option} needs ${wanted}`);
    return values[option] ?? false;
  };
  const check = needs("check", adopt || handBack, "--adopt or --hand-back");
  const upgrade = needs("upgrade", adopt, "--adopt");
  const drop = needs("drop", handBack, "--hand-back");
  const stayDrained = needs("stay-drained", handBack, "--hand-back");
  if (handBack) return { kind: "hand-back", check, drop, stayDrained };
  if (adopt) return { kind: check ? "check-adoption" : "adopt", upgrade };
  return takeOver ? { kind: "take-over" } : undefined;
}

/** @throws UsageError */
function shadowOf(values: Given): ShadowMode | undefined {
  const { shadow: original, "shadow-once": once = false, "shadow-json": json = false } = values;
  const { "shadow-interval": interval, insecure = false } = values;
  if (original === undefined) {
    if (!once && !json && interval === undefined) return undefined;
    throw new UsageError("--shadow-once, --shadow-json and --shadow-interval need --shadow");
  }
  checkAlone("shadow", values, ["init", "twin", "store", "nodes", "backup", "restore"]);
  const seconds = whole("--shadow-interval", interval, { usual: 30, min: 1, max: 86_400 });
  return { kind: "shadow", original, once, json, intervalMs: seconds * 1000, insecure };
}

/** @throws UsageError */
function twinOf(values: Given): TwinMode | undefined {
  const { twin: source, "twin-figures": figures, insecure = false } = values;
  if (source === undefined) {
    if (figures === undefined && (!insecure || values.shadow !== undefined)) return undefined;
    throw new UsageError("--twin-figures and --insecure need --twin");
  }
  checkAlone("twin", values, ["init", "store", "nodes", "backup", "restore"]);
  return { kind: "twin", source, figures, insecure, overNodes: values["over-nodes"] ?? false };
}

/** @throws UsageError */
function checkAlone(mode: string, values: Given, others: readonly (keyof Given)[]): void {
  const other = others.find((name) => values[name] !== undefined);
  if (other !== undefined) throw new UsageError(`--${mode} and --${other} exclude each other`);
}

function machinesOf(values: Given): MachineMode | undefined {
  const { "prepare-node": prepared, "release-node": released, "primary-ip": primaryIp } = values;
  const { "leave-cluster": leaves = false, "accept-host-key": trustsHostKey = false } = values;
  const { readd = false } = values;
  if (prepared === undefined && released === undefined && !leaves) return undefined;
  return {
    kind: "machines",
    prepared:
      prepared === undefined ? undefined : { name: prepared, primaryIp, trustsHostKey, readd },
    released: released === undefined ? undefined : { name: released, primaryIp },
    leaves,
  };
}
