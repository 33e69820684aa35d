/** KernelState: the kernel's state of all mirrors, parsed from `/proc/drbd` of DRBD 8. */
import { NodeFailure } from "../../failure.js";

/** State of a configured minor. */
export interface MirrorState {
  /** `Connected`, `StandAlone`, `WFConnection`, `SyncSource`, … */
  readonly connection: string;
  readonly role: string;
  readonly peerRole: string;
  /** `UpToDate`, `Inconsistent`, `Diskless`, … */
  readonly disk: string;
  readonly peerDisk: string;
  /** 0 if a synchronisation shows no progress yet; null if none is running. */
  readonly syncPercent: number | null;
  readonly estimatedSeconds: number | null;
}

export interface KernelState {
  /** `8.4.11 (api:1/proto:86-101)` */
  readonly version: string;
  /** The value is null for a minor that exists but is not configured. */
  readonly minors: ReadonlyMap<number, MirrorState | null>;
}

const versionLine =
  /^version: (\d+)\.(\d+)\.(\d+)(?:[.-](\d+))?(?:[^(]*)\(api:(\d+)\/proto:(\d+)(?:-(\d+))?\)/;
const unconfigured = /^\s*[0-9]+:\s*cs:Unconfigured$/;
const state = /^\s*[0-9]+:\s*cs:(\S+)\s+(?:st|ro):([^/]+)\/(\S+)\s+ds:([^/]+)\/(\S+)\s+.*$/;
const progress = /^.*\ssync'ed:\s*([0-9.]+)%.*(?:\s|M)finish: ([0-9]+):([0-9]+):([0-9]+)\s.*$/;

const synchronising: ReadonlySet<string> = new Set([
  ...["WFReportParams", "StartingSyncS", "StartingSyncT", "WFBitMapS", "WFBitMapT"],
  ...["WFSyncUUID", "SyncSource", "SyncTarget", "PausedSyncS", "PausedSyncT"],
]);

export const isConnected = ({ connection }: MirrorState): boolean => connection === "Connected";
export const isStandalone = ({ connection }: MirrorState): boolean => connection === "StandAlone";
export const isSynchronising = ({ connection }: MirrorState): boolean =>
  synchronising.has(connection);
export const isDiskless = ({ disk }: MirrorState): boolean => disk === "Diskless";
export const isUpToDate = ({ disk }: MirrorState): boolean => disk === "UpToDate";

/** Parses the text; throws NodeFailure if it is not from DRBD 8. */
export function kernelState(text: string): KernelState {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return {
    version: versionOf(lines[0] ?? ""),
    minors: new Map(entriesOf(lines.slice(1)).map(([minor, line]) => [minor, mirrorState(line)])),
  };
}

function versionOf(line: string): string {
  const parts = versionLine.exec(line.trim());
  if (parts === null) throw new NodeFailure(`Can't parse DRBD version from '${line}'`);
  const [, major, minor, point, fix, api, low, high] = parts;
  if (major !== "8") {
    throw new NodeFailure(
      `Mismatch in DRBD kernel version and requested ganeti usage: kernel is ${major}.${minor}, ganeti wants 8.x`,
    );
  }
  const release = `${major}.${minor}.${point}${fix === undefined ? "" : `-${fix}`}`;
  return `${release} (api:${api}/proto:${low}${high === undefined ? "" : `-${high}`})`;
}

/** Minors, each with its lines joined into one. */
function entriesOf(lines: readonly string[]): (readonly [number, string])[] {
  const entries: [number, string][] = [];
  for (const line of lines) {
    const start = /^ *(\d+): cs:/.exec(line);
    const last = entries.at(-1);
    if (start !== null) entries.push([Number(start[1]), line.trim()]);
    // Lines before the first minor describe the build of the module.
    else if (last !== undefined) last[1] += ` ${line.trim()}`;
  }
  return entries;
}

function mirrorState(line: string): MirrorState | null {
  if (unconfigured.test(line)) return null;
  const parts = state.exec(line);
  if (parts === null) throw new NodeFailure(`Can't parse input data '${line}'`);
  const [, connection = "", role = "", peerRole = "", disk = "", peerDisk = ""] = parts;
  const [, percent, hours, minutes, seconds] = progress.exec(line) ?? [];
  const unknown = synchronising.has(connection) ? 0 : null;
  return {
    ...{ connection, role, peerRole, disk, peerDisk },
    syncPercent: percent === undefined ? unknown : Number(percent),
    estimatedSeconds:
      percent === undefined ? null : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds),
  };
}
