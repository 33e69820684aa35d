/** Texts of figures, times and errors. */

/** An amount of MiB with a unit; unknown amounts are a dash. */
export function sizeText(mib: number | null): string {
  if (mib === null) return "–";
  for (const [unit, size] of [
    ["TiB", 1024 * 1024],
    ["GiB", 1024],
  ] as const) {
    if (Math.abs(mib) >= size) return `${Number((mib / size).toFixed(1))} ${unit}`;
  }
  return `${Math.round(mib)} MiB`;
}

/** A time of Ganeti, seconds and microseconds, in the user's time zone. */
export function timeText(time: readonly [number, number] | null): string {
  return time === null ? "–" : new Date(time[0] * 1000 + time[1] / 1000).toLocaleString();
}

/** A time in seconds. */
export const secondsText = (seconds: number | null): string =>
  timeText(seconds === null ? null : [seconds, 0]);

/** `OP_INSTANCE_STARTUP` as `instance startup`. */
export const opcodeText = (id: string): string =>
  id.replace(/^OP_/, "").toLowerCase().replaceAll("_", " ");

/** A duration in one unit: `40 s`, `3 min`, `2 h`. */
export function durationText(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}

/** Text of a job's error, which is a class with arguments: the first argument. */
export function failureText(result: unknown): string {
  const [, args] = Array.isArray(result) ? result : [];
  const [text] = Array.isArray(args) ? args : [];
  return typeof text === "string" ? text : JSON.stringify(result);
}

export const yesNo = (value: boolean | null): string =>
  value === null ? "–" : value ? "yes" : "no";
