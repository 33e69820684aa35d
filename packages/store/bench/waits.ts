// Samples of pg_stat_activity while a series runs: the waits of the sessions of a PostgreSQL server.
import pg from "pg";

/** Average number of sessions in each state of waiting, e.g. `Lock advisory`, by its name. */
export type Waits = Readonly<Record<string, number>>;

const everyMs = 20;

/** Samples until the function that it returns is called. Idle sessions do not count as waiting. */
export async function sampleWaits(connection: pg.ClientConfig): Promise<() => Promise<Waits>> {
  const client = new pg.Client(connection);
  await client.connect();
  const found = new Map<string, number>();
  let sampleCount = 0;
  let isOver = false;
  const sample = async () => {
    while (!isOver) {
      const { rows } = await client.query<{ name: string }>(
        `SELECT wait_event_type || ' ' || wait_event AS name FROM pg_stat_activity
          WHERE backend_type = 'client backend' AND state <> 'idle' AND pid <> pg_backend_pid()
            AND wait_event IS NOT NULL`,
      );
      sampleCount++;
      for (const { name } of rows) found.set(name, (found.get(name) ?? 0) + 1);
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  };
  const sampled = sample();
  return async () => {
    isOver = true;
    await sampled;
    await client.end();
    const averages = [...found].map(([name, count]): [string, number] => [
      name,
      Number((count / sampleCount).toPrecision(2)),
    ]);
    return Object.fromEntries(averages.sort(([, a], [, b]) => b - a));
  };
}
