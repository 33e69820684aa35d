/** Changes of instances that the page offers, one job for each instance. */
import { ask } from "../../api/server.js";

export interface InstanceAction {
  readonly title: string;
  /** The question that the user confirms; without it the action begins at once. */
  readonly question?: (what: string) => string;
  readonly isDangerous?: boolean;
  /** A word that the user adds, by what it is called. */
  readonly wants?: string;
  readonly submit: (name: string, word: string) => Promise<unknown>;
}

const at = (name: string, rest = ""): string => `/2/instances/${encodeURIComponent(name)}${rest}`;

export const actions: readonly InstanceAction[] = [
  { title: "Start", submit: (name) => ask("PUT", at(name, "/startup")) },
  {
    title: "Stop",
    question: (what) => `Stop ${what}? Programs inside are shut down.`,
    submit: (name) => ask("PUT", at(name, "/shutdown")),
  },
  {
    title: "Reboot",
    question: (what) => `Reboot ${what}? Programs inside are shut down and started again.`,
    submit: (name) => ask("POST", at(name, "/reboot")),
  },
  {
    title: "Migrate",
    question: (what) => `Migrate ${what} to the secondary node? Programs inside go on.`,
    submit: (name) => ask("PUT", at(name, "/migrate"), {}),
  },
  {
    title: "Fail over",
    question: (what) =>
      `Fail ${what} over to the secondary node? Programs inside are shut down and started there.`,
    submit: (name) => ask("PUT", at(name, "/failover"), {}),
  },
  {
    title: "Add tag",
    wants: "Tag",
    submit: (name, tag) => ask("PUT", at(name, `/tags?tag=${encodeURIComponent(tag)}`)),
  },
  {
    title: "Remove",
    isDangerous: true,
    question: (what) => `Remove ${what}? Its disks and all data on them are deleted.`,
    submit: (name) => ask("DELETE", at(name)),
  },
];

export const removeTag = (name: string, tag: string): Promise<unknown> =>
  ask("DELETE", at(name, `/tags?tag=${encodeURIComponent(tag)}`));

/** A reservation becomes an instance. */
export const makeReal = (name: string): Promise<unknown> => ask("POST", at(name, "/create"), {});

export interface Outcome {
  readonly jobs: readonly number[];
  readonly failures: readonly string[];
}

/** Requests under way at the same time. */
const atOnce = 4;

/** Submits a job for each instance; failures do not hold up the others. */
export async function submitted(
  action: Pick<InstanceAction, "submit">,
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
