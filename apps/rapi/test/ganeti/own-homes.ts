// A bench whose nodes each have a home of root with their own ssh keys, like real machines; Ganeti manages these keys.
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ReferenceBench, ReferenceNode, RunOptions } from "@ganeti-ts/reference";

/** The home that all nodes of a bench share, in which each of them finds its own one here. */
const home = "/srv/home";
const homeOf = ({ root }: ReferenceNode): string => join(root, "home");

/** Owners of the keys that a node accepts and lists, in alphabetical order; `?` for a key that no node has. */
export interface KnownKeys {
  /** Owners of the keys in `authorized_keys`. */
  readonly accepts: readonly string[];
  /** Of `ganeti_pub_keys`. A key that is listed under the UUID of another node than its owner says so. */
  readonly lists: readonly string[];
}

/** The keys that each node knows now. */
export function knownKeys({
  nodes,
  configFile,
}: ReferenceBench): Readonly<Record<string, KnownKeys>> {
  const members = JSON.parse(readFileSync(configFile, "utf8")).nodes;
  const owners = new Map(
    nodes.flatMap((node) =>
      linesOf(join(homeOf(node), ".ssh/id_rsa.pub")).map(
        (line) => [keyIn(line), node.name] as const,
      ),
    ),
  );
  const ownerOf = (line: string) => owners.get(keyIn(line)) ?? "?";
  const listedOwner = (line: string) => {
    const [uuid = ""] = line.split(" ");
    const owner = ownerOf(line);
    return members[uuid]?.name === owner ? owner : `${owner} as another node`;
  };
  return Object.fromEntries(
    nodes.map((node) => {
      const accepted = linesOf(join(homeOf(node), ".ssh/authorized_keys")).map(ownerOf);
      // A node that joins again and again keeps its former keys.
      const accepts = [...new Set(accepted)].sort();
      const lists = linesOf(join(node.dataFolder, "ganeti_pub_keys")).map(listedOwner).sort();
      return [node.name, { accepts, lists }];
    }),
  );
}

const linesOf = (path: string): readonly string[] =>
  existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    : [];

/** The key itself, without options and comment. */
const keyIn = (line: string): string => /ssh-rsa (\S+)/.exec(line)?.[1] ?? line;

/** An administrator lets the master log in on a node that has left the cluster. */
export function letMasterIn({ master }: ReferenceBench, node: ReferenceNode): void {
  const key = readFileSync(join(homeOf(master), ".ssh/id_rsa.pub"), "utf8");
  appendFileSync(join(homeOf(node), ".ssh/authorized_keys"), key);
}

/**
 * The bench with programs that see the home of their node. The configuration says from here on that Ganeti changes the ssh
 * files of nodes.
 */
export async function withOwnHomes(bench: ReferenceBench): Promise<ReferenceBench> {
  await bench.stopMaster();
  for (const node of bench.nodes) await bench.stopDaemon(node, "ganeti-noded");
  endSharedSshd(bench);
  const housed = enteringHomes(bench);
  const content = JSON.parse(readFileSync(bench.configFile, "utf8"));
  content.cluster.modify_ssh_setup = true;
  writeFileSync(bench.configFile, JSON.stringify(content));
  makeKeys(bench, Object.keys(content.nodes), (uuid) => content.nodes[uuid].name);
  for (const node of bench.nodes) {
    const config = `${node.insideRoot}/etc/sshd_config`;
    await housed.exec(
      "sh",
      [
        "-c",
        `sed '/^ListenAddress/d' /etc/ssh/sshd_config > ${config} && /usr/sbin/sshd -f ${config} -o ListenAddress=${node.address}:22`,
      ],
      { node },
    );
    await housed.exec("/usr/lib/ganeti/daemon-util", ["start", "ganeti-noded"], { node });
  }
  for (const daemon of ["ganeti-wconfd", "ganeti-luxid"]) {
    await housed.exec("/usr/lib/ganeti/daemon-util", ["start", daemon]);
  }
  return housed;
}

function endSharedSshd({ processes }: ReferenceBench): void {
  for (const pid of processes()) {
    if (readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith("sshd: /usr/sbin/sshd")) {
      process.kill(pid);
    }
  }
}

/** The same bench, whose programs are started with the home of their node in the place of the shared one. */
function enteringHomes(bench: ReferenceBench): ReferenceBench {
  const enter = `mount --bind "$GANETI_ROOTDIR/home" ${home} && exec "$@"`;
  const wordsOf = (program: string, args: readonly string[] = []) => [
    ...["--mount", "sh", "-c", enter, "sh", program],
    ...args,
  ];
  return {
    ...bench,
    exec: (program, args, options?: RunOptions) =>
      bench.exec("unshare", wordsOf(program, args), options),
    attempt: (program, args, options?: RunOptions) =>
      bench.attempt("unshare", wordsOf(program, args), options),
    spawn: (program, args, options) => bench.spawn("unshare", wordsOf(program, args), options),
  };
}

/** Each node has a key; every node accepts and lists all of them, as all are candidates. */
function makeKeys(
  { nodes }: ReferenceBench,
  uuids: readonly string[],
  nameOf: (uuid: string) => string,
): void {
  const keys = new Map(
    nodes.map((node) => {
      const folder = join(homeOf(node), ".ssh");
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const file = join(folder, "id_rsa");
      const comment = `root@${node.name}`;
      const words = ["-q", ...["-t", "rsa"], ...["-b", "2048"], ...["-N", ""], ...["-C", comment]];
      execFileSync("ssh-keygen", [...words, "-f", file]);
      return [node.name, readFileSync(`${file}.pub`, "utf8").trim()] as const;
    }),
  );
  const listed = uuids.map((uuid) => `${uuid} ${keys.get(nameOf(uuid))}\n`).join("");
  for (const node of nodes) {
    const accepted = [...keys.values()].map((key) => `${key}\n`).join("");
    writeFileSync(join(homeOf(node), ".ssh/authorized_keys"), accepted, { mode: 0o600 });
    writeFileSync(join(node.dataFolder, "ganeti_pub_keys"), listed, { mode: 0o600 });
  }
}
