/** gnt-cluster twin: makes a cluster of simulated nodes like another cluster, and starts its server. */
import { readFileSync } from "node:fs";
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation, OptionValues } from "../../invocation.js";
import { makeTwin, startServer } from "./server-program.js";

const usualPort = 5080;

export async function run({
  args,
  options,
  out,
  env,
  dataDirectory,
}: Invocation): Promise<ExitCode> {
  const [source] = args as [string];
  if (options.has("url")) {
    throw new Ending(
      "Cannot create a twin remotely: it is created in the data directory of this machine. The cluster to read is an argument.",
    );
  }
  const access = accessOf(options);
  const remarks = makeTwin(
    { dataDirectory, env: { ...env, ...access } },
    { source, figures: options.text("figures"), insecure: options.flag("insecure") },
  );
  for (const remark of remarks) out.line(`Note: ${remark}`);
  if (options.flag("no-start")) {
    out.line(`The twin is in ${dataDirectory}. Serve it with:`);
    out.line(`  ganeti-rapi --data-dir=${dataDirectory}`);
    out.document({ dataDirectory, remarks });
    return 0;
  }
  const port = options.integer("port") ?? usualPort;
  const { pid, log } = await startServer({ dataDirectory, env }, port, {
    address: options.text("address"),
  });
  out.line(`The twin is served from ${dataDirectory} by process ${pid}, log ${log}`);
  out.document({ dataDirectory, remarks, pid, log });
  return 0;
}

/** Credentials as the server program takes them: never as arguments, which all users of the machine can see. */
function accessOf(options: OptionValues) {
  const user = options.text("user");
  const file = options.text("password-file");
  const ca = options.text("ca");
  return {
    ...(user !== undefined && { GANETI_RAPI_USER: user }),
    ...(file !== undefined && { GANETI_RAPI_PASSWORD: passwordIn(file) }),
    ...(ca !== undefined && { GANETI_RAPI_CA: ca }),
  };
}

/** Its first line. @throws Ending */
function passwordIn(file: string): string {
  try {
    return readFileSync(file, "utf8").split("\n", 1)[0]?.replace(/\r$/, "") ?? "";
  } catch (error) {
    throw new Ending(`Cannot read ${file}: ${(error as Error).message}`);
  }
}
