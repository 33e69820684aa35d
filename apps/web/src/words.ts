/** Figures and times as people read them. */

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

/** A time of Ganeti, seconds and microseconds, in the reader's own zone. */
export function timeText(time: readonly [number, number] | null): string {
  return time === null ? "–" : new Date(time[0] * 1000 + time[1] / 1000).toLocaleString();
}

/** `OP_INSTANCE_STARTUP` as `instance startup`. */
export const opcodeText = (id: string): string =>
  id.replace(/^OP_/, "").toLowerCase().replaceAll("_", " ");

/** Names of gauges with the value of their only label, from a text of Prometheus' format. */
export function gaugeValues(text: string, name: string): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  for (const line of text.split("\n")) {
    const [, found, label, value] = /^(\w+)\{\w+="([^"]*)"\} (\S+)$/.exec(line) ?? [];
    if (found === name && label !== undefined) values.set(label, Number(value));
  }
  return values;
}
