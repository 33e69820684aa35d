/** gnt-cluster shadow: looks at a running cluster, and reports where our server would answer differently. */
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { accessOf } from "./other-cluster.js";
import { runServer } from "./server-program.js";

/** Address of Ganeti's remote API on its master, and a port that is free beside it. */
const usualOriginal = "https://localhost:5080";
const usualPort = 5090;

export async function run({ options, env, dataDirectory, signal }: Invocation): Promise<ExitCode> {
  if (options.has("url")) {
    throw new Ending(
      "A shadow runs on the master of the cluster: name its remote API with --original.",
    );
  }
  const interval = options.integer("interval");
  const address = options.text("address");
  const words = [
    `--shadow=${options.text("original") ?? usualOriginal}`,
    ...["-p", String(options.integer("port") ?? usualPort)],
    ...(address === undefined ? [] : ["-b", address]),
    ...(interval === undefined ? [] : [`--shadow-interval=${interval}`]),
    ...(options.flag("once") ? ["--shadow-once"] : []),
    ...(options.flag("json") ? ["--shadow-json"] : []),
    ...(options.flag("insecure") ? ["--insecure"] : []),
  ];
  const place = { dataDirectory, env: { ...env, ...accessOf(options) } };
  return (await runServer(place, words, signal)) === 0 ? 0 : 1;
}
