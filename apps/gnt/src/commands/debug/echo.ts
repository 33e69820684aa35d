/** `echo` of the commands for one part of the server, which shows whether it runs. */
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";

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

export const unsupported = (command: string): Ending =>
  new Ending(`Command '${command}' not supported`);
