/** The user under which QEMU runs, according to the security model of the instance. */
import type { NodeContext } from "../../context.js";
import { NodeFailure } from "../../failure.js";
import { succeeded } from "../../machine/runner.js";
import type { HvParams } from "../hypervisor.js";
import { makeFolder, replaceFile } from "../state-files.js";
import { execWithUnusedUid, poolOf } from "../uid-pool.js";
import { text } from "./parameters.js";
import type { KvmPorts } from "./ports.js";
import type { StartInput } from "./start-words.js";

type User = StartInput["user"];

/** Name of the user with this id; null if there is none. */
export async function userName(
  { run }: Pick<NodeContext, "run">,
  nameOrId: string,
): Promise<string | null> {
  const ended = await run.run({ program: "getent", args: ["passwd", "--", nameOrId] });
  return succeeded(ended) ? (ended.stdout.split(":")[0] ?? null) : null;
}

/** Runs `action` with the user; an id from the pool belongs to the instance until its cleanup. */
export async function withRunUser(
  { context, files }: Pick<KvmPorts, "context" | "files">,
  instance: string,
  hvparams: HvParams,
  action: (user: User) => Promise<void>,
): Promise<void> {
  const model = text(hvparams, "security_model");
  if (model === "user") {
    return action({ name: text(hvparams, "security_domain"), isFromPool: false });
  }
  if (model !== "pool") return action(null);
  const pool = poolOf(await context.ssconf("uid_pool"));
  await execWithUnusedUid(context, pool, async (uid) => {
    const name = await userName(context, String(uid));
    if (name === null) throw new NodeFailure(`User-id ${uid} of the pool has no user`);
    await makeFolder(files.uids, 0o775);
    // Written before the start: after a crash the file shows which id may be in use.
    await replaceFile(files.of(instance).uid, `${uid}`);
    await action({ name, isFromPool: true });
  });
}
