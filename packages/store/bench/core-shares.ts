// Shares of a core for the processes of a series, by the bandwidth limit of cgroup v1 (Linux, root).
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const roles = ["server", "database", "submitter"] as const;
type Role = (typeof roles)[number];

/** Share of a core for the processes of each role; each server has a share of its own. */
export type Shares = Readonly<Record<Role, number>>;

/** A process that has used up its share waits until the end of the period (µs); the kernel counts by ticks of 4 ms. */
const periodMicros = 10_000;

/** @throws Error if `text` is not of the form `server:0.35,database:0.8,submitter:0.35` */
export function sharesOf(text: string): Shares {
  const given = new Map(
    text.split(",").map((part): [string, number] => {
      const [role = "", share] = part.split(":");
      return [role, Number(share)];
    }),
  );
  const shares = roles.map((role): [Role, number] => [role, given.get(role) ?? Number.NaN]);
  if (given.size !== roles.length || !shares.every(([, share]) => share >= 0.1)) {
    throw new Error(
      `--shares=${text}: expected a share of at least 0.1 core for each of ${roles.join()}`,
    );
  }
  return Object.fromEntries(shares) as Shares;
}

const signals = ["SIGINT", "SIGTERM"] as const;
const exit = () => process.exit(1);

/** The cgroups of one run. */
export class ShareGroups {
  readonly #parent: string;
  readonly #shares: Shares;
  readonly #groups: { readonly role: Role; readonly folder: string }[] = [];
  readonly #remove = () => this.remove();

  /** @throws Error if this process may not create groups of cgroup v1's cpu controller */
  constructor(shares: Shares) {
    this.#shares = shares;
    this.#parent = ownGroup();
    process.once("exit", this.#remove);
    // The default action of a signal would skip that.
    for (const signal of signals) process.once(signal, exit);
  }

  /** Limits these processes together, with all children that they start from now on, to the share of `role`. */
  limit(role: Role, pids: readonly number[]): void {
    const folder = join(this.#parent, `bench-${process.pid}-${role}-${this.#groups.length}`);
    try {
      mkdirSync(folder);
      this.#groups.push({ role, folder });
      // First the period: a new group has no limit, and a quota must not be shorter than 1 ms.
      writeFileSync(join(folder, "cpu.cfs_period_us"), String(periodMicros));
      const quota = Math.round(this.#shares[role] * periodMicros);
      writeFileSync(join(folder, "cpu.cfs_quota_us"), String(quota));
      for (const pid of pids) move(String(pid), folder);
    } catch (cause) {
      throw new Error(`--shares: ${folder} cannot be used; it takes root and cgroup v1`, { cause });
    }
  }

  /**
   * Starts counting. The result gives, for each role, the part of the periods with work in which its share was used
   * up: near 1 for the resource that limits the series.
   */
  watch(): () => Readonly<Record<string, number>> {
    const before = this.#groups.map(({ folder }) => countsOf(folder));
    return () => {
      const sums = new Map<Role, { periods: number; exhausted: number }>();
      for (const [at, { role, folder }] of this.#groups.entries()) {
        const { periods, exhausted } = countsOf(folder);
        const sum = sums.get(role) ?? { periods: 0, exhausted: 0 };
        sum.periods += periods - (before[at]?.periods ?? 0);
        sum.exhausted += exhausted - (before[at]?.exhausted ?? 0);
        sums.set(role, sum);
      }
      return Object.fromEntries(
        [...sums].map(([role, { periods, exhausted }]) => [
          role,
          Number((exhausted / Math.max(1, periods)).toPrecision(2)),
        ]),
      );
    };
  }

  /** Removes the limits of all processes, and the groups. May be called again. */
  remove(): void {
    process.off("exit", this.#remove);
    for (const signal of signals) process.off(signal, exit);
    for (const { folder } of this.#groups.splice(0)) {
      removeGroup(folder, this.#parent);
    }
  }
}

/** A process that starts or ends may occupy the group for another moment. */
function removeGroup(folder: string, parent: string): void {
  for (let attempt = 0; ; attempt++) {
    for (const pid of readFileSync(join(folder, "cgroup.procs"), "utf8").split("\n")) {
      if (pid !== "") move(pid, parent);
    }
    try {
      rmdirSync(folder);
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== "EBUSY" || attempt === 100) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}

/** Ids of the process `parent` and of its children. */
export function familyOf(parent: number): readonly number[] {
  const children = readdirSync("/proc").filter((entry) => {
    try {
      return (
        /^\d+$/.test(entry) && parentOf(readFileSync(`/proc/${entry}/stat`, "utf8")) === parent
      );
    } catch {
      return false; // It has ended.
    }
  });
  return [parent, ...children.map(Number)];
}

/** The name of the program, in parentheses, may contain spaces. */
const parentOf = (stat: string) => Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);

/** Folder of this process's group. */
function ownGroup(): string {
  const lines = readFileSync("/proc/self/cgroup", "utf8").split("\n");
  const path = lines
    .map((line) => line.split(":"))
    .find(([, controllers = ""]) => controllers.split(",").includes("cpu"))?.[2];
  if (path === undefined)
    throw new Error("--shares: this machine has no cpu controller of cgroup v1");
  return join("/sys/fs/cgroup/cpu", path);
}

function move(pid: string, folder: string): void {
  try {
    writeFileSync(join(folder, "cgroup.procs"), pid);
  } catch (error) {
    // A process that has ended needs no group.
    if ((error as { code?: string }).code !== "ESRCH") throw error;
  }
}

function countsOf(folder: string): { readonly periods: number; readonly exhausted: number } {
  const stat = readFileSync(join(folder, "cpu.stat"), "utf8");
  const number = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, "m").exec(stat)?.[1]);
  return { periods: number("nr_periods"), exhausted: number("nr_throttled") };
}
