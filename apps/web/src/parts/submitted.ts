/** Bulk actions: changes of several objects, one job for each. */

export interface ObjectAction {
  readonly title: string;
  /** The question that the user confirms; without it the action begins at once. */
  readonly question?: (what: string) => string;
  readonly isDangerous?: boolean;
  /** Whether the action deletes data for good: the user then types the name, or the number of objects. */
  readonly isFinal?: boolean;
  /** Label of a text that the user has to add. */
  readonly wants?: string;
  readonly submit: (name: string, word: string) => Promise<unknown>;
}

export interface Outcome {
  readonly jobs: readonly number[];
  readonly failures: readonly string[];
}

/** Maximum number of concurrent requests. */
const atOnce = 4;

/** Submits a job for each object; a failure does not stop the others. */
export async function submitted(
  action: Pick<ObjectAction, "submit">,
  names: readonly string[],
  word: string,
): Promise<Outcome> {
  const jobs: number[] = [];
  const failures: string[] = [];
  const rest = [...names];
  const work = async () => {
    for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
      try {
        jobs.push(Number(await action.submit(name, word)));
      } catch (error) {
        failures.push(`${name}: ${(error as Error).message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { jobs: jobs.toSorted((a, b) => a - b), failures };
}
