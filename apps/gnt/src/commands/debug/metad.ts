/** `gnt-debug metad`. */
import type { Invocation } from "../../invocation.js";
import { echo, unsupported } from "./echo.js";

export async function run(invocation: Invocation) {
  const [command = ""] = invocation.args;
  if (command === "echo") return echo(invocation);
  throw unsupported(command);
}
