// The releases of Ganeti that a bench can run, with Debian's packages of each.

/** A release of Ganeti as Debian has it. */
export interface Release {
  /** Its name on disk and on the command line: `/usr/share/ganeti/NAME`. */
  readonly name: "3.0" | "3.1";
  /** The version that the bench runs. Another one would be another reference. */
  readonly version: string;
  /** Version of node calls, LUXI and configuration. */
  readonly protocol: number;
  /**
   * Suite of the archive whose programs and libraries the release needs: a bench then has nothing of the machine's
   * `/usr` and `/etc`. `undefined` if the packages suit the machine's own.
   */
  readonly suite: string | undefined;
  readonly packages: readonly string[];
}

const common = ["ganeti", "openssh-server", "socat"];

export const releases: Readonly<Record<Release["name"], Release>> = {
  "3.0": {
    name: "3.0",
    version: "3.0.2",
    protocol: 3_000_000,
    suite: undefined,
    packages: [...common, "ganeti-3.0", "ganeti-haskell-3.0"],
  },
  "3.1": {
    name: "3.1",
    version: "3.1.0~rc2",
    protocol: 3_010_000,
    suite: "trixie",
    packages: [...common, "ganeti-3.1", "ganeti-haskell-3.1", "iproute2", "?essential"],
  },
};

/** The release with this name; throws if there is none. */
export function releaseNamed(name: string): Release {
  const release = Object.values(releases).find((candidate) => candidate.name === name);
  if (release !== undefined) return release;
  throw new Error(`no release ${name} of Ganeti; there are ${Object.keys(releases).join(", ")}`);
}
