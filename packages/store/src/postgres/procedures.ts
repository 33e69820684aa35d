/** Database functions for the two halves of a step: one round trip each. */

/** SQLSTATEs of the errors of `keep_step`. */
export const stepErrors = {
  /** The worker has been fenced. */
  fenced: "GT001",
  /** The state to be changed differs from the one the worker has seen. */
  outdated: "GT002",
} as const;

/**
 * Waits for its turn, then returns the news for the worker. `seen` is the last revision it knows; null if
 * none. Workers fenced since then are included, even if already buried. `all` means that every unfinished job
 * is returned, because news since `seen` are no longer stored. Rows of dead workers are locked: one that
 * leaves at this moment must not vanish before it is fenced.
 */
const beginStep = `CREATE OR REPLACE FUNCTION begin_step(turn integer, own bigint, seen bigint)
  RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  q queue; w worker; dead json; lately_fenced json; jobs json; whole boolean;
BEGIN
  PERFORM pg_advisory_xact_lock(turn);
  SELECT * INTO q FROM queue;
  SELECT * INTO w FROM worker WHERE id = own;
  SELECT json_agg(json_build_array(late.id, late.fence, late.fenced_by IS NOT DISTINCT FROM own))
    INTO dead FROM (
      SELECT id, fence, fenced_by FROM worker
        WHERE NOT gone AND id <> own AND CASE
          WHEN fenced IS NULL THEN lease_until <= clock_timestamp()
          ELSE fenced_by = own OR NOT EXISTS (
            SELECT FROM worker AS other WHERE other.id = worker.fenced_by AND NOT other.gone
          ) END
        FOR UPDATE
    ) AS late;
  SELECT json_agg(json_build_array(id, fence)) INTO lately_fenced FROM worker
    WHERE fenced > coalesce(seen, -1);
  whole := seen IS NULL
    OR seen < q.revision AND NOT EXISTS (SELECT FROM news WHERE revision = seen + 1);
  IF whole THEN
    SELECT json_agg(json_build_array(id, status, archived, claimed_by, fence, cancel))
      INTO jobs FROM job WHERE ended IS NULL;
    jobs := json_build_array(jobs);
  ELSE
    SELECT json_agg(news.jobs ORDER BY revision) INTO jobs FROM news WHERE revision > seen;
  END IF;
  RETURN json_build_object(
    'now', (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
    'revision', q.revision, 'serial', q.serial, 'live', q.live_count,
    'settings', CASE WHEN whole OR q.settings_revision > seen
      THEN json_build_array(q.drained, q.running_max, q.size_max) END,
    'rules', whole OR q.rules_revision > seen,
    'fence', CASE WHEN w.fenced IS NULL THEN w.fence END,
    'mark', (SELECT mark FROM news WHERE revision = q.revision),
    'dead', dead, 'fenced', lately_fenced, 'jobs', jobs, 'all', whole);
END $$`;

/** Parameters of `keep_step`: each list has an element per job that is written. */
const stepParameters = `p json, inserted integer, ids bigint[], statuses text[], priorities integer[],
  ends bigint[], workers bigint[], fences bigint[], cancels boolean[], befores bigint[], documents json,
  patches json, entries json, told json, taken_ids bigint[], taken_statuses text[]`;

/** The lists as rows, in their order: the first ones, up to number `inserted`, are new jobs. */
const writtenJobs = `ROWS FROM (unnest(ids, statuses, priorities, ends, workers, fences, cancels, befores),
      json_array_elements(documents)) WITH ORDINALITY
    AS given (id, status, priority, ended, worker, fence, cancel, before, document, nth)`;

/**
 * Writes the changes of a step and makes them the next revision. It does not wait for the disk, which happens
 * after the commit, when other workers already have their turn. Documents are elements of one list, which are
 * copied without being decoded. Patches and log entries are passed as text, because a JSON value inside another
 * one does not support every string. Long texts are separate arguments, because each access to a JSON value parses
 * all of it. Rows are found by key, whatever the planner's outdated statistics suggest.
 */
const keepStep = `CREATE OR REPLACE FUNCTION keep_step(${stepParameters})
  RETURNS void LANGUAGE plpgsql
  SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off AS $$
DECLARE
  next bigint := (p->>'revision')::bigint;
  -- Read once: each access parses all of \`p\`.
  own bigint := (p->>'worker')::bigint;
  own_fence bigint := (p->>'fence')::bigint;
  taken_at bigint := (p->>'taken')::bigint;
  process integer := (p->>'process')::integer;
  found_rows bigint;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  UPDATE worker SET last_step = (p->>'step')::bigint
    WHERE id = own AND fence = own_fence AND fenced IS NULL;
  IF NOT FOUND THEN RAISE 'fenced' USING ERRCODE = '${stepErrors.fenced}'; END IF;
  UPDATE queue SET revision = next, live_count = live_count + (p->>'more')::bigint,
      serial = coalesce((p->>'serial')::bigint, serial),
      settings_revision = CASE WHEN p->'settings' IS NULL THEN settings_revision ELSE next END,
      rules_revision = CASE WHEN (p->>'ruled')::boolean THEN next ELSE rules_revision END
    WHERE revision = next - 1;
  IF NOT FOUND THEN RAISE 'another revision' USING ERRCODE = '${stepErrors.outdated}'; END IF;
  IF inserted > 0 THEN
    INSERT INTO job (id, status, priority, ended, claimed_by, fence, cancel, document, revision)
      SELECT id, status, priority, ended, worker, fence, cancel, document, next
        FROM ${writtenJobs} WHERE nth <= inserted;
  END IF;
  IF cardinality(ids) > inserted THEN
    -- Only jobs that have not ended and are still held by the same worker, or by none: no job is claimed twice,
    -- whatever the worker believes. The first coalesce keeps the planner from scanning the index of all of these.
    UPDATE job SET status = given.status, priority = given.priority, ended = given.ended,
        claimed_by = given.worker, fence = given.fence, cancel = given.cancel, revision = next,
        document = CASE json_typeof(given.document) WHEN 'null' THEN job.document
          ELSE given.document END,
        taken = CASE json_typeof(given.document) WHEN 'null' THEN job.taken END
      FROM ${writtenJobs}
      WHERE nth > inserted AND job.id = given.id AND coalesce(job.ended, -1) = -1
        AND coalesce(job.claimed_by, -1) = coalesce(given.before, -1);
    GET DIAGNOSTICS found_rows = ROW_COUNT;
    IF found_rows <> cardinality(ids) - inserted THEN
      RAISE '% jobs of %', found_rows, cardinality(ids) - inserted
        USING ERRCODE = '${stepErrors.outdated}';
    END IF;
  END IF;
  IF taken_ids IS NOT NULL THEN
    -- Claims and nothing else: the documents stay as they are.
    UPDATE job SET status = given.status, claimed_by = own, fence = own_fence, revision = next,
        taken = taken_at, process_id = process
      FROM unnest(taken_ids, taken_statuses) AS given (id, status)
      WHERE job.id = given.id AND coalesce(job.ended, -1) = -1 AND job.claimed_by IS NULL;
    GET DIAGNOSTICS found_rows = ROW_COUNT;
    IF found_rows <> cardinality(taken_ids) THEN
      RAISE '% free jobs of %', found_rows, cardinality(taken_ids)
        USING ERRCODE = '${stepErrors.outdated}';
    END IF;
  END IF;
  IF p->'whole' IS NOT NULL THEN
    DELETE FROM job_patch
      WHERE job IN (SELECT value::bigint FROM json_array_elements_text(p->'whole'));
  END IF;
  IF patches IS NOT NULL THEN
    INSERT INTO job_patch (job, opcode, document)
      SELECT job, opcode, document::json FROM json_to_recordset(patches)
        AS given (job bigint, opcode integer, document text)
      ON CONFLICT (job, opcode) DO UPDATE SET document = excluded.document;
  END IF;
  IF entries IS NOT NULL THEN
    INSERT INTO job_log (job, serial, opcode, entry)
      SELECT job, serial, opcode, entry::json FROM json_to_recordset(entries)
        AS given (job bigint, serial integer, opcode integer, entry text);
  END IF;
  IF p->'archived' IS NOT NULL THEN
    UPDATE job SET archived = true, revision = next
      WHERE id IN (SELECT value::bigint FROM json_array_elements_text(p->'archived'))
        AND NOT archived AND ended IS NOT NULL;
    GET DIAGNOSTICS found_rows = ROW_COUNT;
    IF found_rows <> json_array_length(p->'archived') THEN
      RAISE '% jobs to archive', found_rows USING ERRCODE = '${stepErrors.outdated}';
    END IF;
  END IF;
  IF p->'settings' IS NOT NULL THEN
    UPDATE queue SET drained = (p->'settings'->>0)::boolean,
      running_max = (p->'settings'->>1)::integer, size_max = (p->'settings'->>2)::integer;
  END IF;
  IF p->'rules' IS NOT NULL THEN
    INSERT INTO filter_rule (uuid, document)
      SELECT uuid, document::json
        FROM json_to_recordset(p->'rules') AS given (uuid uuid, document text)
      ON CONFLICT (uuid) DO UPDATE SET document = excluded.document;
  END IF;
  IF p->'rulesGone' IS NOT NULL THEN
    DELETE FROM filter_rule
      WHERE uuid IN (SELECT value::uuid FROM json_array_elements_text(p->'rulesGone'));
  END IF;
  IF p->'dead' IS NOT NULL THEN
    -- A worker that gives up its lease without jobs may be gone by itself meanwhile.
    UPDATE worker SET fenced = coalesce(fenced, next), fenced_by = (p->>'worker')::bigint
      FROM json_to_recordset(p->'dead') AS given (worker bigint, fence bigint)
      WHERE worker.id = given.worker AND worker.fence = given.fence;
  END IF;
  IF p->'buried' IS NOT NULL THEN
    UPDATE worker SET gone = true
      FROM json_to_recordset(p->'buried') AS given (worker bigint, fence bigint)
      WHERE worker.id = given.worker AND worker.fence = given.fence;
  END IF;
  INSERT INTO news (revision, jobs, mark) VALUES (next, told, p->>'mark');
  IF next % 1000 = 0 THEN DELETE FROM news WHERE revision <= next - 10000; END IF;
  IF p->'channel' IS NOT NULL THEN
    PERFORM pg_notify(p->>'channel', (p->>'worker') || ' ' || next);
  END IF;
END $$`;

/** Waits until all earlier commits are on disk. */
const onDisk = `CREATE OR REPLACE FUNCTION on_disk() RETURNS void LANGUAGE sql AS $$
  SELECT pg_logical_emit_message(true, 'ganeti-ts', '')
$$`;

/**
 * A whole step in one round trip, by a worker that assumes to know the present state: waits for its turn, writes
 * and commits, and returns the time when all that is on disk. If another revision has been made meanwhile it
 * writes nothing and returns NULL.
 */
const wholeStep = `CREATE OR REPLACE PROCEDURE whole_step(
  turn integer, before bigint, ${stepParameters}, INOUT now_micros bigint
) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(turn);
  now_micros := NULL;
  IF (SELECT revision FROM queue) <> before THEN RETURN; END IF;
  PERFORM keep_step(p, inserted, ids, statuses, priorities, ends, workers, fences, cancels, befores,
    documents, patches, entries, told, taken_ids, taken_statuses);
  -- The turn ends here; the next transaction waits for the disk.
  COMMIT;
  PERFORM on_disk();
  now_micros := (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
END $$`;

export const procedures: readonly string[] = [beginStep, keepStep, onDisk, wholeStep];
