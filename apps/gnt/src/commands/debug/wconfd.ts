/**
 * `gnt-debug wconfd`: locks as Ganeti's configuration daemon shows them, with data from the queue.
 */
import type { Json } from "@ganeti-ts/protocol";
import { pythonText } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { echo, unsupported } from "./echo.js";

type Lock = readonly [name: string, mode: string, owners: readonly string[]];

export async function run(invocation: Invocation): Promise<ExitCode> {
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
