/** `gnt-debug simulate`: failures of simulated nodes, for practising. */
import { isJsonObject, type Json, type JsonObject, sizeText } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import { Ending, ServerLacks } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { mebibytes } from "../../parsing/size.js";
import { simulatedFailures } from "./simulated-failures.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, out } = invocation;
  const [node = "", action = "show", value, ...rest] = args;
  if (rest.length > 0) throw new Ending(`simulate takes one value for ${action}`);
  const machine = await ask(
    invocation,
    node,
    action === "show" ? undefined : bodyOf(action, value),
  );
  out.document(machine);
  for (const line of linesOf(machine)) out.line(line);
  return 0;
}

/** @throws Ending */
function bodyOf(action: string, value: string | undefined): JsonObject {
  const failure = simulatedFailures.find(({ name }) => name === action);
  if (failure === undefined) {
    const names = simulatedFailures.map(({ name }) => name).join(", ");
    throw new Ending(`A simulated node knows no '${action}': choose from show, ${names}`);
  }
  const { value: kind } = failure;
  if (kind === undefined && value !== undefined) throw new Ending(`${action} takes no value`);
  if (value === undefined) {
    if (kind?.needed) throw new Ending(`${action} needs ${kind.means}`);
    return { action };
  }
  return { action, [kind?.key ?? ""]: readValue(kind?.type ?? "text", value) };
}

/** @throws Ending */
function readValue(type: "text" | "number" | "size", text: string): Json {
  if (type === "text") return text;
  const number = type === "number" ? Number(text) : text === "0" ? 0 : sizeOf(text);
  if (Number.isFinite(number)) return number;
  throw new Ending(`'${text}' is not a ${type}`);
}

function sizeOf(text: string): number {
  try {
    return mebibytes(text);
  } catch {
    return Number.NaN;
  }
}

async function ask({ cluster }: Invocation, node: string, body: JsonObject | undefined) {
  const path = `/ganeti-ts/1/simulation/${encodeURIComponent(node)}`;
  try {
    const answer = await (body === undefined
      ? cluster.call("GET", path)
      : cluster.call("PUT", path, { body }));
    return isJsonObject(answer) ? answer : {};
  } catch (error) {
    const { status } = ((error as Error).cause ?? {}) as { readonly status?: number };
    const { message } = error as Error;
    if (status === 400) throw new Ending(message, 1);
    if (status !== 404) throw error;
    if (message.includes("not known")) throw new Ending(message, 1);
    throw new ServerLacks("This server does not simulate its nodes.");
  }
}

/** Present state of the machine. */
function linesOf(machine: JsonObject): readonly string[] {
  const { name, powered, slowness, volume_groups: groups } = machine;
  const texts = (list: Json | undefined) => (Array.isArray(list) ? list.map(String) : []);
  const instances = texts(machine.instances);
  const missing = texts(machine.missing_devices);
  const spaces = Object.entries(isJsonObject(groups ?? null) ? (groups as JsonObject) : {}).map(
    ([group, space]) => {
      const { free_mib, size_mib } = space as JsonObject;
      return `  ${group}: ${sizeText(Number(free_mib), "h")} of ${sizeText(Number(size_mib), "h")} free`;
    },
  );
  const slow = slowness === 1 ? "" : `, ${String(slowness)} times as slow as usual`;
  return [
    `${String(name)} is ${powered === true ? "running" : "switched off"}${slow}`,
    ...spaces,
    ...(missing.length > 0 ? [`  missing: ${missing.join(", ")}`] : []),
    `  instances: ${instances.join(", ") || "none"}`,
  ];
}
