/** Texts of refusals: required and available amounts. */
import type { Refusal } from "@ganeti-ts/protocol";
import { type Misfit, misfitNames } from "../fit/misfit.js";
import type { Cluster } from "../model/cluster.js";
import { figure } from "./score-figures.js";

export type Role = "primary" | "secondary";

/** The check that refused: node, role and step. */
export interface Spot {
  readonly cluster: Cluster;
  readonly node: number;
  readonly role: Role | null;
}

export interface Finding {
  readonly rule: Misfit;
  readonly check: Refusal["check"];
  readonly soft?: boolean;
  readonly planned?: boolean;
  readonly resource?: string;
  readonly unit?: string;
  readonly value?: number;
  readonly limit?: number;
  readonly tags?: readonly string[];
  readonly instance?: string | undefined;
  /** Text after the node's name and the rule. */
  readonly words: string;
}

export function refusal({ cluster, node, role }: Spot, finding: Finding): Refusal {
  const { check, soft = false, planned = false, resource, unit, value, limit } = finding;
  const { tags, instance, words } = finding;
  const rule = misfitNames[finding.rule] as Refusal["rule"];
  const name = nodeName(cluster, node);
  const counting = planned ? ", counting reservations" : "";
  return {
    rule,
    check,
    node: name,
    role,
    soft,
    countingReservations: planned,
    ...(resource === undefined ? {} : { resource }),
    ...(unit === undefined ? {} : { unit }),
    ...(value === undefined ? {} : { value: figure(value) }),
    ...(limit === undefined ? {} : { limit: figure(limit) }),
    ...(tags === undefined ? {} : { tags: [...tags] }),
    ...(instance === undefined ? {} : { instance }),
    text: `${name}: ${rule}, ${words}${counting}`,
  };
}

export const nodeName = ({ data }: Cluster, node: number): string =>
  data.nodes[node]?.name ?? `node ${node}`;

/** The refusal with the step of a move at which it occurs. */
export const atStep = (step: string, found: Refusal): Refusal => ({ ...found, step });

/** The text without the node: `FailMem, needs 4096 MiB, 1024 MiB free`. */
export const withoutNode = ({ node, text }: Refusal): string => text.slice(node.length + 2);

/** The amount left must be greater than zero. */
export function needs(value: number, unit: string, limit: number, of = ""): string {
  const kind = of === "" ? "" : ` ${of}`;
  const full = value === limit ? ", and some must stay free" : "";
  return `needs ${value} ${unit}${kind}, ${limit} ${unit} free${full}`;
}

export function rounded(ratio: number): string {
  return Number.isFinite(ratio) ? String(Math.round(ratio * 1000) / 1000) : String(ratio);
}
