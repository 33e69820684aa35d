/** Colours of list cells on a terminal, for good and bad states. */
import type { Json } from "@ganeti-ts/protocol";
import type { QueryKind, QueryTable } from "./cluster.js";
import type { Paint } from "./table.js";

const code =
  (number: number): Paint =>
  (text) =>
    `\x1b[${number}m${text}\x1b[0m`;

const bold = code(1);
const dim = code(2);
const red = code(31);
const green = code(32);
const yellow = code(33);
const cyan = code(36);

/** By status: normal, unknown field, no data, unavailable, offline. */
const ofStatus: readonly (Paint | undefined)[] = [undefined, red, yellow, dim, red];

const instanceStates: Readonly<Record<string, Paint>> = {
  running: green,
  ADMIN_down: dim,
  ADMIN_offline: dim,
  USER_down: yellow,
  reserved: yellow,
};

const jobStates: Readonly<Record<string, Paint>> = {
  success: green,
  error: red,
  running: cyan,
  waiting: yellow,
  queued: yellow,
  canceling: yellow,
  canceled: dim,
};

/** Offline, drained, master; other roles have no colour. */
const nodeRoles: Readonly<Record<string, Paint>> = { O: red, D: yellow, M: bold };

const whenTrue =
  (paint: Paint) =>
  (value: Json): Paint | undefined =>
    value === true ? paint : undefined;

/** Colours of a node's values, by field. */
const ofNode: Readonly<Record<string, (value: Json) => Paint | undefined>> = {
  role: (value) => nodeRoles[String(value)],
  offline: whenTrue(red),
  drained: whenTrue(yellow),
};

type Cell = QueryTable["data"][number][number];

/** Colours of a list of this kind: titles, and values by field. */
export const paintsOf = (kind: QueryKind) => ({
  title: bold,
  of: (field: string, cell: Cell): Paint | undefined => paintOf(kind, field, cell),
});

/** Undefined for no colour. */
function paintOf(kind: QueryKind, field: string, [status, value]: Cell): Paint | undefined {
  if (status !== 0) return ofStatus[status];
  if (field === "status") return paintOfState(kind, String(value));
  return kind === "node" ? ofNode[field]?.(value) : undefined;
}

function paintOfState(kind: QueryKind, state: string): Paint | undefined {
  if (kind === "job") return jobStates[state];
  if (kind !== "instance") return undefined;
  // ERROR_down, ERROR_nodeoffline, …
  return state.startsWith("ERROR_") ? red : instanceStates[state];
}
