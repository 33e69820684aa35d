/** `echo` of the commands that talk to one part of the server: whether it is there. */
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";

/** The text comes back when the server has answered. */
export async function echo({ args, cluster, out }: Invocation): Promise<ExitCode> {
  const [, text, ...more] = args;
  if (text === undefined || more.length > 0) {
    throw new Ending("Command 'echo' takes only precisely argument.");
  }
  await cluster.info();
  out.line(`Answer: ${text}`);
  return 0;
}

export const unsupported = (command: string): Ending =>
  new Ending(`Command '${command}' not supported`);
