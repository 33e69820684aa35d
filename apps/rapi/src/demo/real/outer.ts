/** realDemo: the outer process of the demonstration on real nodes: checks, namespaces, and the remaining files. */

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { factsOf, type Requirements, thisMachine } from "@ganeti-ts/machines";
import { guestSystem, kvmWorks, mustBeBuilt } from "./guest-system.js";

/** Programs that the demonstration needs, and their Debian packages. */
const needed: Requirements = {
  "qemu-system-x86_64": "qemu-system-x86",
  ip: "iproute2",
  setpriv: "util-linux",
  unshare: "util-linux",
  nsenter: "util-linux",
  flock: "util-linux",
  mke2fs: "e2fsprogs",
  ping: "iputils-ping",
  openssl: "openssl",
  socat: "socat",
  tar: "tar",
};

export interface RealDemoOptions {
  /** Archive or directory with the guest's root file system; undefined: built from packages. */
  readonly system: string | undefined;
  /** Whether it ends after the story instead of waiting for Ctrl-C. */
  readonly ends: boolean;
}

/** Missing prerequisites of this machine, as sentences; the last one is the apt line. Nothing is changed. */
export async function lackingForRealNodes({
  system,
}: Pick<RealDemoOptions, "system">): Promise<readonly string[]> {
  const lacks: string[] = [];
  const wanted = mustBeBuilt(system) ? { ...needed, mmdebstrap: "mmdebstrap" } : needed;
  const here = thisMachine("this machine");
  const { missing } = await factsOf(here, wanted);
  for (const program of missing) lacks.push(`program ${program} (package ${wanted[program]})`);
  if (process.getuid?.() !== 0) lacks.push("root: namespaces and interfaces are made");
  else lacks.push(...(await lackingOfKernel()));
  if (missing.length > 0) {
    const packages = [...new Set(missing.map((program) => wanted[program]))].sort();
    lacks.push(`install with: apt-get install ${packages.join(" ")}`);
  }
  return lacks;
}

/** Missing features of the kernel, tried in namespaces that end at once. */
async function lackingOfKernel(): Promise<readonly string[]> {
  const trials: readonly (readonly [what: string, script: string])[] = [
    ["network, mount and process namespaces", "true"],
    ["bridges", "ip link add b0 type bridge"],
    ["pairs of virtual interfaces", "ip link add v0 type veth peer name v1"],
    ["taps (/dev/net/tun)", "ip tuntap add dev t0 mode tap"],
    [
      "overlay file systems",
      "d=$(mktemp -d /tmp/overlay.XXXXXX) && mkdir $d/u $d/w && mount -t overlay o -o lowerdir=/etc,upperdir=$d/u,workdir=$d/w /etc; code=$?; umount /etc; rm -rf $d; exit $code",
    ],
  ];
  const lacks: string[] = [];
  for (const [what, script] of trials) {
    const { code } = await thisMachine("").run(
      `unshare --net --mount --pid --fork sh -c '${script}' 2> /dev/null`,
    );
    if (code !== 0) lacks.push(`${what}, which this kernel does not allow`);
  }
  return lacks;
}

/** Returns the exit code: 2 without the prerequisites, otherwise that of the story. */
export async function realDemo(options: RealDemoOptions, program: string): Promise<number> {
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const lacks = await lackingForRealNodes(options);
  if (lacks.length > 0) {
    process.stderr.write("A cluster of real nodes cannot run here. Missing:\n");
    for (const line of lacks) process.stderr.write(`  ${line}\n`);
    process.stderr.write("Nothing has been changed.\n");
    return 2;
  }
  const system = guestSystem(options.system, say);
  const accelerator = (await kvmWorks(system)) ? "kvm" : "tcg";
  if (accelerator === "tcg") {
    say("WARNING: no guest boots with /dev/kvm here: processors are emulated (TCG), which is slow");
  }
  const folder = mkdtempSync("/tmp/ganeti-ts-real-");
  try {
    return await inNamespaces(folder, [
      ...[program, "--inside", folder, system],
      ...[accelerator, String(options.ends)],
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Script of the first process of the namespaces, a shell, which reaps processes whose parents have ended. */
const firstScript = `stop() { kill -"$1" $child; }
trap "stop INT" INT; trap "stop TERM" TERM
exec 3<&0
"$@" <&3 3<&- &
child=$!
while kill -0 $child 2> /dev/null; do wait $child; code=$?; done
exit $code`;

/**
 * Command line that runs a program with this Node.js in new namespaces. They end with the process that starts it, even if
 * that is killed.
 */
export const namespaceWords = (words: readonly string[]): readonly string[] => [
  ...["setpriv", "--pdeathsig", "KILL", "--"],
  ...["unshare", "--pid", "--net", "--mount", "--uts", "--fork", "--kill-child", "--mount-proc"],
  ...["--", "sh", "-c", firstScript, "sh", process.execPath, ...words],
];

function inNamespaces(folder: string, words: readonly string[]): Promise<number> {
  const [program = "", ...args] = namespaceWords(words);
  const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] });
  writeEntrance(folder, child.pid as number);
  const forward = (signal: NodeJS.Signals) => {
    // A terminal sends the signal to all processes; the first process of the namespaces gets it by its number.
    const number = firstProcess(child.pid as number);
    if (number !== undefined) process.kill(number, signal);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => forward(signal));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) => resolve(code ?? (signal === null ? 1 : 130)));
  });
}

function firstProcess(pid: number): number | undefined {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return text === "" ? undefined : Number(text.split(" ")[0]);
}

/** Writes a program that opens a shell on one of the nodes from a terminal of this machine. */
function writeEntrance(folder: string, unshare: number): void {
  const text = `#!/bin/sh
# A shell, or a command, on a machine of the demonstration: enter node2.example.com ip addr
room=$(cat /proc/${unshare}/task/${unshare}/children)
host=\${1:-node1.example.com}
[ $# = 0 ] || shift
[ $# != 0 ] || set -- sh
export PATH=${folder}/bin:/usr/sbin:/usr/bin:/sbin:/bin GANETI_TS_DATA=${folder}/data
exec nsenter -t \${room%% *} -a -- nsenter -t "$(cat "${folder}/pids/$host")" -n -m -u -- "$@"
`;
  writeFileSync(join(folder, "enter"), text, { mode: 0o755 });
}
