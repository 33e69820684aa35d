/** Table of the components of the score. */
import { type Cluster, formatFixed, metricsOf } from "@ganeti-ts/htools";
import { tableText } from "./table.js";

/** Each component of the score of these nodes with its weight; only a header if none is online. */
export function metricsTable(cluster: Cluster, nodes: readonly number[]): string {
  const metrics = metricsOf(cluster, nodes);
  const numbers = (header: string, cells: string[]) => ({ header, numeric: true, cells });
  const columns = [
    { header: "Field", numeric: false, cells: metrics.map(({ component }) => component.name) },
    numbers(
      "Value",
      metrics.map(({ value }) => formatFixed(value, 8)),
    ),
    numbers(
      "Weight",
      metrics.map(({ component }) => `x${formatFixed(component.weight, 2)}`),
    ),
  ];
  return tableText(columns, metrics.length, "  ");
}
