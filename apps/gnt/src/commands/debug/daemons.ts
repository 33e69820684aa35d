/** gnt-debug wconfd and metad. */
import { type Json, pythonText } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";

type Lock = readonly [name: string, mode: string, owners: readonly string[]];

/** Locks as Ganeti's configuration daemon shows them, with data from the queue. */
export async function wconfd(invocation: Invocation): Promise<ExitCode> {
  const { args, out } = invocation;
  const [command = "", ...rest] = args;
  switch (command) {
    case "echo":
      return echo(invocation);
    case "listlocks": {
      const [job] = rest;
      if (job === undefined || rest.length > 1) {
        throw new Ending("Command 'listlocks' takes precisely one argument.");
      }
      const held = (await locksOf(invocation)).filter(([, , owners]) => owners.includes(job));
      return answer(
        out,
        held.map(([name, mode]) => [name, mode]),
      );
    }
    case "listalllocks":
      requireNone(command, rest);
      return answer(
        out,
        (await locksOf(invocation)).map(([name]) => name),
      );
    case "listalllocksowners":
      requireNone(command, rest);
      return answer(out, await locksOf(invocation));
    default:
      throw unsupported(command);
  }
}

function answer(out: Invocation["out"], value: Json): ExitCode {
  out.document(value);
  out.line(`Answer: ${pythonText(value)}`);
  return 0;
}

function requireNone(command: string, rest: readonly string[]): void {
  if (rest.length > 0) throw new Ending(`Command '${command}' takes no arguments.`);
}

/** Held locks, by name. */
async function locksOf({ cluster }: Invocation): Promise<readonly Lock[]> {
  const { data } = await cluster.query("lock", ["name", "mode", "owner"], null);
  return data.flatMap((row): Lock[] => {
    const [name, mode, owner] = row.map(([, value]) => value);
    if (!Array.isArray(owner) || owner.length === 0) return [];
    return [[String(name), String(mode), owner.map(String)]];
  });
}

export async function metad(invocation: Invocation) {
  const [command = ""] = invocation.args;
  if (command === "echo") return echo(invocation);
  throw unsupported(command);
}

/** Prints the text when the server has answered. */
export async function echo({ args, cluster, out }: Invocation): Promise<ExitCode> {
  const [, text, ...more] = args;
  if (text === undefined || more.length > 0) {
    throw new Ending("Command 'echo' takes only precisely argument.");
  }
  await cluster.info();
  out.line(`Answer: ${text}`);
  return 0;
}

const unsupported = (command: string): Ending => new Ending(`Command '${command}' not supported`);
