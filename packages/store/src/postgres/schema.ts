/** Tables in a database, with the migrations from older versions. */
import type { Client } from "pg";
import { migrateTables } from "./migrate-tables.js";
import { procedures } from "./procedures.js";

const columnsBefore = "bigint[], text[], integer[], bigint[], bigint[], bigint[], boolean[]";

/** Parameters of `keep_step` in versions 6 and 7. */
const keepStepsBefore = [
  `json, integer, ${columnsBefore}, json, json, json, json`,
  `json, integer, ${columnsBefore}, bigint[], json, json, json, json`,
];

/** Statements per version: version n is the result of the first n lists. */
const migrations: readonly (readonly string[])[] = [
  [
    `CREATE TABLE queue (
       one boolean PRIMARY KEY DEFAULT true CHECK (one),
       revision bigint NOT NULL DEFAULT 0,
       serial bigint NOT NULL DEFAULT 0, live_count bigint NOT NULL DEFAULT 0,
       drained boolean NOT NULL DEFAULT false,
       running_max integer NOT NULL DEFAULT 20, size_max integer,
       settings_revision bigint NOT NULL DEFAULT 0, rules_revision bigint NOT NULL DEFAULT 0
     )`,
    "INSERT INTO queue DEFAULT VALUES",
    // Locks of a deleted worker are released with its row.
    `CREATE TABLE worker (
       id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, fence bigint NOT NULL DEFAULT 1,
       lease_until timestamptz NOT NULL, gone boolean NOT NULL DEFAULT false,
       last_step bigint NOT NULL DEFAULT 0
     )`,
    `CREATE TABLE job (
       id bigint PRIMARY KEY, status text NOT NULL, priority integer NOT NULL,
       archived boolean NOT NULL DEFAULT false, ended bigint,
       claimed_by bigint, fence bigint, cancel boolean NOT NULL DEFAULT false,
       revision bigint NOT NULL, document json NOT NULL
     )`,
    "CREATE INDEX job_revision ON job (revision)",
    "CREATE INDEX job_unfinished ON job (id) WHERE ended IS NULL",
    "CREATE INDEX job_claimed ON job (claimed_by) WHERE claimed_by IS NOT NULL",
    "CREATE INDEX job_finished ON job (ended) WHERE ended IS NOT NULL AND NOT archived",
    `CREATE TABLE job_log (
       job bigint NOT NULL, serial integer NOT NULL, opcode integer NOT NULL, entry json NOT NULL,
       PRIMARY KEY (job, serial)
     )`,
    "CREATE TABLE filter_rule (uuid uuid PRIMARY KEY, document json NOT NULL)",
    `CREATE TABLE lock_hold (
       lock text NOT NULL, owner_key text NOT NULL, owner json NOT NULL, mode text NOT NULL,
       PRIMARY KEY (lock, owner_key)
     )`,
    // The lock manager ensures this; the index guards against its bugs.
    "CREATE UNIQUE INDEX lock_hold_exclusive ON lock_hold (lock) WHERE mode = 'exclusive'",
    "CREATE TABLE lock_wait (owner_key text PRIMARY KEY, document json NOT NULL)",
  ],
  [
    // Changes to jobs by each step, as rows of id, status, archived, claimed_by, fence, cancel.
    "CREATE TABLE news (revision bigint PRIMARY KEY, jobs json NOT NULL)",
    "DROP INDEX job_revision",
    // A claim changes no index now, and pages keep free space for the new version of the row.
    "DROP INDEX job_claimed",
    "ALTER TABLE job SET (fillfactor = 60)",
    ...procedures,
  ],
  [
    // Revision at which the worker was fenced: its writes are refused since. It keeps its locks and jobs
    // until it is deleted by the worker that fenced it.
    "ALTER TABLE worker ADD COLUMN fenced bigint, ADD COLUMN fenced_by bigint",
    "UPDATE worker SET fenced = 0, fence = fence - 1 WHERE gone",
    ...procedures,
  ],
  [
    // Changes missing in a job's document: opcodes changed since, and as -1 the other data.
    `CREATE TABLE job_patch (
       job bigint NOT NULL, opcode integer NOT NULL, document json NOT NULL,
       PRIMARY KEY (job, opcode)
     )`,
    // A server of an older version that is still running does not know patches: it must not write any more.
    "DROP FUNCTION IF EXISTS keep_step(json, json, json, json, json)",
    ...procedures,
  ],
  // Steps in one round trip.
  [...procedures],
  // Steps write all their jobs by one statement. A server of the last version that is still running goes on with
  // its own functions, which have other parameters.
  [...procedures],
  // Steps check the former claims of the jobs that they change. Older servers go on with their own functions.
  [...procedures],
  [
    // The time (µs) at which a worker took the job, and its process, if the document is older than that.
    "ALTER TABLE job ADD COLUMN taken bigint, ADD COLUMN process_id integer",
    // A server of an older version that is still running would take such a job for one that has not been started.
    ...keepStepsBefore.map((parameters) => `DROP FUNCTION IF EXISTS keep_step(${parameters})`),
    ...procedures,
  ],
  // Steps have marks, by which a worker finds out that a promoted standby lacks one; those of older servers have none.
  ["ALTER TABLE news ADD COLUMN mark text", ...procedures],
];

/** Version of the tables of this program. */
export const queueVersion = migrations.length;

/** Migrates `schema` to the version of this program. Throws if it is newer. */
export const migrate = (client: Client, schema: string): Promise<void> =>
  migrateTables(client, schema, {
    versionTable: "version",
    content: "job queue",
    steps: migrations,
  });
