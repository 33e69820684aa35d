/** Features of a QEMU program, parsed from its help output. */
import { stat } from "node:fs/promises";
import type { NodeContext } from "../../context.js";
import { NodeFailure } from "../../failure.js";
import { type Finished, outputOf, reasonOf, succeeded } from "../../machine/runner.js";

export interface Features {
  /** Major, minor, revision. */
  readonly version: readonly [number, number, number];
  readonly vhost: boolean;
  readonly multiqueue: boolean;
  /** Drives accept `boot=on`, as in old versions. */
  readonly bootOfDrive: boolean;
  readonly autoReadOnly: boolean;
  readonly defaultMachine: string;
  /** Whether the help lists an option, given without its hyphen. */
  hasOption(name: string): boolean;
  hasMachine(name: string): boolean;
  hasDriver(name: string): boolean;
}

/** Reads the features of the program at a path. The program runs three times; results are cached until the file changes. */
export type FeatureReader = (path: string) => Promise<Features>;

/** Outputs of the QEMU program for `--help`, `-machine ?` and `-device ?`. */
export interface Printed {
  readonly help: string;
  readonly machines: string;
  readonly devices: string;
}

export function featuresOf({ help, machines, devices }: Printed): Features {
  const [firstLine = ""] = help.split("\n");
  const version = /\b(\d+)\.(\d+)(?:\.(\d+))?\b/.exec(firstLine);
  if (version === null) throw new NodeFailure("Unable to get KVM version");
  const drivers = new Set([...devices.matchAll(/^name "([^"]+)"/gm)].map(([, name]) => name));
  const names = [...machines.matchAll(/^(\S+)[ ]+.*PC/gm)].map(([, name]) => name);
  return {
    version: [Number(version[1]), Number(version[2]), Number(version[3] ?? 0)],
    vhost: /^-netdev\stap.*,vhost=on\|off/ms.test(help),
    multiqueue: /^-netdev\stap.*,fds=x:y:...:z/ms.test(help),
    bootOfDrive: /^-drive\s([^-]|(?<!^)-)*,boot=on\|off/m.test(help),
    autoReadOnly: /^-blockdev\s([^-]|(?<!^)-)*,auto-read-only=on\|off/m.test(help),
    defaultMachine: /^(\S+).*\(default\)/m.exec(machines)?.[1] ?? "pc",
    hasOption: (name) => help.split("\n").some((line) => line.split(/\s/, 1)[0] === `-${name}`),
    hasMachine: (name) => names.includes(name),
    hasDriver: (name) => drivers.has(name),
  };
}

export function featureReader({ run }: Pick<NodeContext, "run">): FeatureReader {
  const known = new Map<string, { readonly mtimeNs: bigint; readonly features: Features }>();
  const ask = (program: string, ...args: string[]): Promise<Finished> =>
    run.run({ program, args, timeoutMs: 60_000 });
  return async (path) => {
    const { mtimeNs } = await stat(path, { bigint: true }).catch(() => {
      throw new NodeFailure(`The KVM binary ('${path}') does not exist`);
    });
    const cached = known.get(path);
    if (cached?.mtimeNs === mtimeNs) return cached.features;
    const [help, machines, devices] = await Promise.all([
      ask(path, "--help"),
      ask(path, "-machine", "?"),
      ask(path, "-device", "?"),
    ]);
    for (const one of [help, machines]) {
      if (!succeeded(one)) {
        throw new NodeFailure(
          `Unable to get KVM ${one.command.args.join(" ")} output: ${reasonOf(one)} (${outputOf(one).trim()})`,
        );
      }
    }
    const features = featuresOf({
      help: outputOf(help),
      machines: outputOf(machines),
      devices: outputOf(devices),
    });
    known.set(path, { mtimeNs, features });
    return features;
  };
}
