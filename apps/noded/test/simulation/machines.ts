/** Simulated machines: each has a runner with the programs of LVM and DRBD. */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Command, commandText, type Runner } from "../../src/machine/runner.js";
import { finished } from "../a-context.js";
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
  /** A logical volume of this name can no longer be written, or again. */
  setReadOnly(name: string, isReadOnly: boolean): void;
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
  const lvms = Array.from({ length: count }, () => new SimulatedLvm());
  const publish = (node: number, text: string): void => {
    // A synchronisation may end after the test has removed the folder.
    try {
      writeFileSync(join(procOf(node), "new"), text);
      renameSync(join(procOf(node), "new"), join(procOf(node), "drbd"));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  };
  const drbd = new SimulatedDrbd(count, publish, (node, path) => {
    const sizeMib = lvms[node]?.sizeOf(path);
    if (sizeMib === undefined) return undefined;
    return { sizeMib, isReadOnly: lvms[node]?.isReadOnly(path) ?? false };
  });
  return lvms.map((lvm, node) => {
    const sizeOf = (path: string) => lvm.sizeOf(path) ?? drbd.sizeOf(node, path);
    const programs = { ...lvm.programs, ...drbd.programs(node), ...blockPrograms(sizeOf, lvm) };
    return {
      run: runnerOf(programs),
      programs: new Set(Object.keys(programs)),
      proc: procOf(node),
      modules,
      fail(device, isMissing) {
        drbd.fail(node, (path) => lvm.liesOn(path, device));
        if (isMissing) lvm.lose(device);
      },
      setReadOnly: (name, isReadOnly) => lvm.setReadOnly(name, isReadOnly),
    };
  });
}

/** The programs blockdev and dd, which find devices and their ends but copy nothing. */
function blockPrograms(
  sizeOf: (path: string) => number | undefined,
  lvm: Pick<SimulatedLvm, "isReadOnly">,
): Readonly<Record<string, Program>> {
  return {
    blockdev([option, path = ""]) {
      if (option !== "--getsize64") throw new Refused("usage", 1);
      const size = sizeOf(path);
      if (size === undefined) throw new Refused(`blockdev: cannot open ${path}`, 1);
      return `${size * 1024 * 1024}\n`;
    },
    dd(args) {
      const option = (name: string): string | undefined =>
        args.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
      const isDevice = (path: string | undefined): path is string =>
        path !== undefined && /^\/dev\/(?!zero|null)/.test(path);
      const [from, to] = [option("if"), option("of")];
      for (const device of [from, to].filter(isDevice)) {
        if (sizeOf(device) === undefined) throw new Refused(`dd: failed to open '${device}'`, 1);
      }
      if (!isDevice(to)) return "";
      if (lvm.isReadOnly(to)) {
        throw new Refused(`dd: error writing '${to}': Operation not permitted`, 1);
      }
      const blocks = (Number(option("bs")) / (1024 * 1024)) * Number(option("count"));
      const readMib = isDevice(from) ? Math.min(blocks, sizeOf(from) ?? 0) : blocks;
      // The length of an image in a file is not known here.
      const isCounted = from === "/dev/zero" || isDevice(from);
      if (isCounted && Number(option("seek") ?? 0) + readMib > (sizeOf(to) ?? 0)) {
        throw new Refused(`dd: error writing '${to}': No space left on device`, 1);
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
    try {
      return finished(command, { stdout: program(command.args) });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return finished(command, { code: error.code, stderr: `${error.message}\n` });
    }
  },
});
