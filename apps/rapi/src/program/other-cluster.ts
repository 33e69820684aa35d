/** Modes of the program that read another cluster: a twin is made of it, a shadow looks at it. */
import { readFileSync } from "node:fs";
import type { Log } from "../log.js";
import { runShadow } from "../shadow/run-shadow.js";
import { makeTwinOnly } from "../twin/make-only.js";
import type { Options, ShadowOptions, TwinOptions } from "./options.js";

/** Access to its remote API, from the environment: arguments can be seen by all users of the machine. */
function accessFrom({ insecure }: { readonly insecure: boolean }) {
  const { GANETI_RAPI_USER: user, GANETI_RAPI_PASSWORD: password, GANETI_RAPI_CA } = process.env;
  return {
    ...(user && { user }),
    ...(password && { password }),
    ...(GANETI_RAPI_CA && { ca: readFileSync(GANETI_RAPI_CA, "utf8") }),
    verifyCertificate: !insecure,
  };
}

/** Makes a twin, and prints what it lacks. @throws StartError, NewClusterError */
export async function twinMade(options: Options, twin: TwinOptions, log: Log): Promise<void> {
  const { source, figures } = twin;
  const wanted = { source, figures, access: accessFrom(twin) };
  const remarks = await makeTwinOnly(options, wanted, log);
  for (const remark of remarks) process.stdout.write(`${remark}\n`);
}

/** Serves a shadow until a stop signal, or compares once. Returns the exit code. @throws StartError */
export async function shadowed(options: Options, shadow: ShadowOptions, log: Log): Promise<number> {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => (stop.signal.aborted ? process.exit(1) : stop.abort()));
  }
  return runShadow(options, shadow, {
    access: accessFrom(shadow),
    log,
    write: (line) => process.stdout.write(`${line}\n`),
    unwanted: stop.signal,
  });
}
