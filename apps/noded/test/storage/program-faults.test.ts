// Every program of LVM and DRBD that a call runs fails, hangs or prints garbage, one at a time.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import { beforeEach, describe, expect, test } from "vitest";
import { NodeFailure } from "../../src/failure.js";
import { nodePaths } from "../../src/machine/paths.js";
import type { Runner } from "../../src/machine/runner.js";
import { storageCalls } from "../../src/storage/calls.js";
import { diskTypes } from "../../src/storage/disk-types.js";
import { aFolder } from "../a-context.js";
import { hurryingClock, scriptedMachine } from "../scripted-machine.js";
import { type SimulatedMachine, simulatedMachines } from "../simulation/machines.js";
import {
  type Calls,
  mirror,
  mirrorSteps,
  plain,
  type Step,
  signal,
  volumeSteps,
} from "./fault-steps.js";
import { type Fault, faults, standIns } from "./standing-in.js";

/** Programs whose output is parsed. */
const parsed: ReadonlySet<string> = new Set(["lvs", "vgs", "pvs", "blockdev", "drbdsetup show"]);

const nameOf = ({ program, args }: { program: string; args: readonly string[] }): string =>
  program === "drbdsetup" ? `${program} ${args[0]}` : program;

const cases = [volumeSteps, mirrorSteps].flatMap((steps) =>
  steps.map((wanted, at) => [wanted[0], wanted, steps.slice(0, at)] as const),
);

describe("programs of storage", () => {
  let folder: string;
  let machines = 0;
  beforeEach(() => {
    folder = aFolder();
  });

  /** A machine without volumes and mirrors at first, after these steps. */
  async function machineAfter(earlier: readonly Step[]) {
    machines += 1;
    const root = join(folder, String(machines));
    mkdirSync(root);
    const simulated = simulatedMachines(root, 1)[0] as SimulatedMachine;
    const { proc, modules, run } = simulated;
    const clock = hurryingClock();
    const { context: scripted } = scriptedMachine({}, root);
    const context = { ...scripted, clock, run, paths: { ...nodePaths(root), proc, modules } };
    const made = {
      root,
      healthy: run,
      mirrors: () => readFileSync(join(proc, "drbd"), "utf8"),
      stand: standIns(root, (ms) => void clock.after(ms, () => {})),
      calls: (by: Runner) => storageCalls({ ...context, run: by }) as Calls,
      step: ([, action]: Step, by: Runner = run) => action(made.calls(by), { ...context, run: by }),
    };
    for (const step of earlier) await made.step(step);
    return made;
  }

  /** Programs that the step runs if all of them work. */
  async function programsOf(wanted: Step, earlier: readonly Step[]): Promise<readonly string[]> {
    const { healthy, step } = await machineAfter(earlier);
    const names: string[] = [];
    const run: Runner["run"] = (command) => {
      names.push(nameOf(command));
      return healthy.run(command);
    };
    await step(wanted, { ...healthy, run });
    return names;
  }

  /** Answer to the step if its program with this number has that fault. */
  async function outcome(
    wanted: Step,
    earlier: readonly Step[],
    { number, fault }: { readonly number: number; readonly fault: Fault },
  ): Promise<string> {
    const { root, healthy, mirrors, stand, calls, step } = await machineAfter(earlier);
    const faulty = stand.faulty(healthy, number, fault);
    const [name] = wanted;
    const text = await step(wanted, faulty.run).then(
      (value) => `answered ${JSON.stringify(value ?? null).replaceAll(root, "")}`,
      (error: unknown) => {
        if (error instanceof NodeFailure) return error.message;
        // Any other error is a fault of the daemon.
        throw new Error(`${name}: ${error}`, { cause: error });
      },
    );
    const hit = faulty.hit();
    if (hit === undefined) throw new Error(`${name} runs fewer than ${number + 1} programs`);
    await expect.poll(() => stand.leftProcesses()).toEqual([]);
    // When all programs work again, the call succeeds, and a removal leaves nothing.
    const after = calls(healthy);
    const remove = async () => {
      for (const disk of [mirror, plain]) await after.blockdev_remove({ disk }, signal);
    };
    // A partially created mirror is removed first, as the master does after a failure.
    if (name === "create a mirror") await remove();
    if (!name.startsWith("remove")) await step(wanted);
    await remove();
    await after.blockdev_remove({ disk: { ...plain, logical_id: ["xenvg", "root.snap"] } }, signal);
    expect(await after.lv_list({ volumeGroups: ["xenvg"] }, signal)).toEqual([]);
    expect(mirrors()).not.toMatch(/^ *0:/m);
    return `${nameOf(hit)} ${fault}: ${text.trim().replaceAll("\n", " / ")}`;
  }

  test.each(cases)(
    "a fault of any program is a clear end of the call to %s",
    async (name, wanted, earlier) => {
      const programs = (await programsOf(wanted, earlier)).entries();
      const outcomes = [...programs].flatMap(([number, program]) =>
        faults
          .filter((fault) => fault !== "prints garbage" || parsed.has(program))
          .map((fault) => outcome(wanted, earlier, { number, fault })),
      );
      const lines = await Promise.all(outcomes);
      for (const line of lines) {
        if (!line.includes(" hangs: ") || line.includes("hangs: answered")) continue;
        expect(line).toMatch(
          /'\w+ .*' did not end within its limits: .* after timeout of \d+\.00 seconds/,
        );
      }
      await expect(`# ${name}\n${lines.join("\n")}\n`).toMatchFileSnapshot(
        `../golden/program-faults/${name.replaceAll(" ", "-")}.txt`,
      );
    },
  );
});

describe("programs of other storage that hang", () => {
  const clustered: DiskOnNode = {
    ...{ uuid: "uuid-rbd", dev_type: "rbd", size: 128, logical_id: ["rbd", "vol1"] },
    params: { pool: "rbd", access: "kernelspace" },
  };
  const gluster: DiskOnNode = {
    ...{ uuid: "uuid-gluster", dev_type: "gluster", size: 128, logical_id: ["manual", "a/b.0"] },
    params: { host: "192.0.2.9", port: 24_007, volume: "gv0", access: "kernelspace" },
  };
  const external: DiskOnNode = {
    ...{ uuid: "uuid-ext", dev_type: "ext", size: 128, logical_id: ["shelf", "vol1"] },
    params: { access: "kernelspace" },
  };

  test.each([
    ["rbd create", clustered, "create"],
    ["rbd showmapped", clustered, "assemble"],
    ["rbd showmapped --format json", clustered, "remove"],
    ["mount -t", gluster, "assemble"],
    ["create", external, "create"],
    ["attach", external, "assemble"],
    ["detach", external, "remove"],
  ] as const)(
    "the call that runs %s fails at the limit of the program",
    async (program, disk, action) => {
      const root = aFolder();
      const scripts = join(root, "usr/share/ganeti/extstorage/shelf");
      for (const folder of [scripts, join(root, "var/log/ganeti/extstorage"), join(root, "proc")]) {
        mkdirSync(folder, { recursive: true });
      }
      writeFileSync(join(root, "proc/mounts"), "");
      writeFileSync(join(scripts, "parameters.list"), "");
      for (const name of ["create", "attach", "detach", "remove", "grow", "setinfo", "verify"]) {
        writeFileSync(join(scripts, name), "#!/bin/sh\nexec sleep 600\n", { mode: 0o755 });
      }
      const { context } = scriptedMachine({}, root);
      const stand = standIns(join(root, "stand-ins"), () => {});
      const { run } = stand.faulty(context.run, 0, "hangs");
      const paths = { ...nodePaths(root), proc: join(root, "proc") };
      const ssconf = async () => ["/srv/gluster"];
      const type = diskTypes({ ...context, paths, run, ssconf })(disk);
      const ended =
        action === "create"
          ? type.create(disk, { sizeMib: 128, exclusiveStorage: false, children: [] })
          : action === "assemble"
            ? type.assemble(disk, [])
            : type.remove(disk);

      await expect(ended).rejects.toThrow(
        new RegExp(
          `${program}.*' did not end within its limits: .* after timeout of \\d+\\.00 seconds`,
        ),
      );
      await expect.poll(() => stand.leftProcesses()).toEqual([]);
    },
  );
});
