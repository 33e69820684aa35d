/** Recognition of tables that a newer version has changed while this server was running. */
import { HaltError } from "@ganeti-ts/job-queue";
import type pg from "pg";
import { queueVersion } from "./schema.js";

/** SQLSTATEs of a function, table or column that does not exist, or not with these parameters. */
const missing: ReadonlySet<string> = new Set(["42883", "42P01", "42703"]);

/**
 * The reason why a server of this version has to end, if `error` is the consequence of an upgrade of its tables;
 * undefined otherwise. An upgrade that older servers must not survive drops what they call.
 */
export async function afterUpgrade(
  error: unknown,
  database: pg.Pool | pg.Client,
): Promise<HaltError | undefined> {
  if (!missing.has((error as { code?: string }).code ?? "")) return undefined;
  const { rows } = await database.query<{ version: number }>("SELECT version FROM version");
  const version = rows[0]?.version ?? 0;
  return version <= queueVersion
    ? undefined
    : HaltError.newerVersion("job queue", version, queueVersion);
}
