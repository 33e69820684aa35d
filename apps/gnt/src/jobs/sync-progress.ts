/** How far disks are that are being synchronised: read from what a job says, shown as bars. */

export interface SyncProgress {
  /** `disk/0` */
  readonly disk: string;
  readonly percent: number;
  /** Undefined where there is no estimate. */
  readonly secondsLeft: number | undefined;
}

/** Undefined for messages about other things. */
export function syncProgress(message: string): SyncProgress | undefined {
  const found = /- device (\S+): +(\d+\.\d+)% done, (.*)$/.exec(message);
  if (found === null) return undefined;
  const [, disk = "", percent, rest = ""] = found;
  return { disk, percent: Number(percent), secondsLeft: secondsOf(rest) };
}

const factors: Readonly<Record<string, number>> = { d: 86_400, h: 3600, m: 60, s: 1 };

/** `1h 3m 5s remaining (estimated)` */
function secondsOf(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+)([dhms])\b/g)];
  if (parts.length === 0) return undefined;
  return parts.reduce(
    (sum, [, amount, unit = "s"]) => sum + Number(amount) * (factors[unit] as number),
    0,
  );
}

/** What was said, and how many seconds ago. */
export interface SyncState extends SyncProgress {
  readonly age: number;
}

const barWidth = 24;

/** All bars on one line: what was said, moved on by the time that has passed since. */
export function syncBars(states: readonly SyncState[]): string {
  return states.map(barText).join("   ");
}

function barText({ disk, percent, secondsLeft, age }: SyncState): string {
  const isEstimated = secondsLeft !== undefined && secondsLeft > 0;
  const share = isEstimated ? Math.min(1, age / secondsLeft) : 0;
  // It is only done when the job says so.
  const now = Math.min(99.9, percent + (100 - percent) * share);
  const filled = Math.round((now / 100) * barWidth);
  const bar = "#".repeat(filled).padEnd(barWidth, ".");
  const left = isEstimated ? ` ${durationText(Math.max(0, secondsLeft - age))} left` : "";
  return `${disk} [${bar}] ${now.toFixed(1).padStart(5)}%${left}`;
}

/** `1h 03m`, `3m 05s`, `12s`. */
function durationText(seconds: number): string {
  const whole = Math.ceil(seconds);
  const two = (value: number) => String(value).padStart(2, "0");
  if (whole >= 3600) return `${Math.floor(whole / 3600)}h ${two(Math.floor((whole % 3600) / 60))}m`;
  if (whole >= 60) return `${Math.floor(whole / 60)}m ${two(whole % 60)}s`;
  return `${whole}s`;
}
