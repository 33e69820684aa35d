/**
 * Progress of synchronised or copied disks and of migrated memory, read from a job's messages and
 * shown as bars.
 */

export interface SyncProgress {
  /** `disk/0` */
  readonly disk: string;
  readonly percent: number;
  /** Undefined without an estimate. */
  readonly secondsLeft: number | undefined;
}

/** Undefined for other messages. */
export function syncProgress(message: string): SyncProgress | undefined {
  const found = forms.map((form) => form.exec(message)).find((one) => one !== null);
  if (found == null) return undefined;
  const [, disk = "", percent, rest = ""] = found;
  return { disk, percent: Number(percent), secondsLeft: secondsOf(rest) };
}

/** Name, percent, and the remaining time of each kind of message. */
const forms = [
  /- device (\S+): +(\d+\.\d+)% done, (.*)$/,
  /^(\S+) sent \S+, .*?, (\d+)%(?:, ETA (.*))?$/,
  /^\* (memory) transfer progress: (\d+\.\d+) %$/,
];

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

/** Last message, with its age in seconds. */
export interface SyncState extends SyncProgress {
  readonly age: number;
}

const barMax = 24;
const barMin = 4;
const gap = 3;

/**
 * All of them on one line of this width: the last messages, extrapolated to the present. If space
 * is short, bars become shorter, then disappear, then the remaining time does.
 */
export function syncBars(states: readonly SyncState[], columns: number): string {
  const room = Math.floor((columns - gap * (states.length - 1)) / states.length);
  return states.map((state) => barText(state, room)).join(" ".repeat(gap));
}

function barText({ disk, percent, secondsLeft, age }: SyncState, room: number): string {
  const isEstimated = secondsLeft !== undefined && secondsLeft > 0;
  const share = isEstimated ? Math.min(1, age / secondsLeft) : 0;
  // It counts as done only when the job says so.
  const now = Math.min(99.9, percent + (100 - percent) * share);
  const start = `${disk} `;
  const figure = `${now.toFixed(1).padStart(5)}%`;
  const left = isEstimated ? ` ${durationText(Math.max(0, secondsLeft - age))} left` : "";
  const width = Math.min(barMax, room - `${start}[] ${figure}${left}`.length);
  if (width >= barMin) {
    const filled = Math.round((now / 100) * width);
    return `${start}[${"#".repeat(filled).padEnd(width, ".")}] ${figure}${left}`;
  }
  return start + figure + (start.length + figure.length + left.length <= room ? left : "");
}

/** `1h 03m`, `3m 05s`, `12s`. */
function durationText(seconds: number): string {
  const whole = Math.ceil(seconds);
  const two = (value: number) => String(value).padStart(2, "0");
  if (whole >= 3600) return `${Math.floor(whole / 3600)}h ${two(Math.floor((whole % 3600) / 60))}m`;
  if (whole >= 60) return `${Math.floor(whole / 60)}m ${two(whole % 60)}s`;
  return `${whole}s`;
}
