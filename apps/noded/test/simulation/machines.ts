/** Simulated machines: each has a runner with the programs of LVM and DRBD. */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Command, commandText, type Runner } from "../../src/machine/runner.js";
import { SimulatedDrbd } from "./drbd.js";
import { SimulatedLvm } from "./lvm.js";
import { type Program, Refused } from "./outcome.js";

export interface SimulatedMachine {
  readonly run: Runner;
  /** Names of the programs that it has. */
  readonly programs: ReadonlySet<string>;
  /** Value for `NodePaths.proc`: the folder with the state and the modules of the simulated kernel. */
  readonly proc: string;
  readonly modules: string;
  /** Lets a physical volume return errors from now on; with `isMissing` its device disappears as well. */
  fail(device: string, isMissing: boolean): void;
}

/** Programs other than those of LVM and DRBD fail the test that runs them. */
export function simulatedMachines(folder: string, count: number): readonly SimulatedMachine[] {
  const procOf = (node: number): string => join(folder, `proc${node}`);
  const modules = join(folder, "modules");
  mkdirSync(join(modules, "drbd/parameters"), { recursive: true });
  writeFileSync(join(modules, "drbd/parameters/usermode_helper"), "/bin/true\n");
  for (let node = 0; node < count; node++) {
    mkdirSync(join(procOf(node), "sys/kernel/random"), { recursive: true });
    writeFileSync(join(procOf(node), "sys/kernel/random/boot_id"), `boot-of-${node}\n`);
  }
  const drbd = new SimulatedDrbd(count, (node, text) => {
    // A synchronisation may end after the test has removed the folder.
    try {
      writeFileSync(join(procOf(node), "new"), text);
      renameSync(join(procOf(node), "new"), join(procOf(node), "drbd"));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  });
  return Array.from({ length: count }, (_, node) => {
    const lvm = new SimulatedLvm();
    const sizeOf = (path: string) => lvm.sizeOf(path) ?? drbd.sizeOf(node, path);
    const programs = { ...lvm.programs, ...drbd.programs(node), ...blockPrograms(sizeOf) };
    return {
      run: runnerOf(programs),
      programs: new Set(Object.keys(programs)),
      proc: procOf(node),
      modules,
      fail(device, isMissing) {
        drbd.fail(node, (path) => lvm.liesOn(path, device));
        if (isMissing) lvm.lose(device);
      },
    };
  });
}

/** The programs blockdev and dd, which find devices but copy nothing. */
function blockPrograms(
  sizeOf: (path: string) => number | undefined,
): Readonly<Record<string, Program>> {
  return {
    blockdev([option, path = ""]) {
      if (option !== "--getsize64") throw new Refused("usage", 1);
      const size = sizeOf(path);
      if (size === undefined) throw new Refused(`blockdev: cannot open ${path}`, 1);
      return `${size * 1024 * 1024}\n`;
    },
    dd(args) {
      for (const word of args) {
        const device = /^(?:if|of)=(\/dev\/(?!zero|null).*)$/.exec(word)?.[1];
        if (device !== undefined && sizeOf(device) === undefined) {
          throw new Refused(`dd: failed to open '${device}'`, 1);
        }
      }
      return "";
    },
  };
}

const runnerOf = (programs: Readonly<Record<string, Program>>): Runner => ({
  detach: () => Promise.reject(new Error("nothing is detached here")),
  async run(command: Command) {
    const program = Object.hasOwn(programs, command.program)
      ? programs[command.program]
      : undefined;
    if (program === undefined) throw new Error(`unexpected command: ${commandText(command)}`);
    const ended = { command, signal: null, limit: "none" } as const;
    try {
      return { ...ended, code: 0, stdout: program(command.args), stderr: "" };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { ...ended, code: error.code, stdout: "", stderr: `${error.message}\n` };
    }
  },
});
