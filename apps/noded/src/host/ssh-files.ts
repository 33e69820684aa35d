/** Files with root's ssh keys, and the cluster's list of its nodes' public keys. */
import { mkdir, readFile, rm } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { NodeContext } from "../context.js";
import { ifMissing } from "../failure.js";
import { located, type NodePaths } from "../machine/paths.js";
import { attributesOf, replaceFile } from "./replaced-file.js";

/** Public keys (`ssh-rsa AAAA… comment`) by the UUID of their node, or by its name before it has one. */
export type NodeKeys = ReadonlyMap<string, readonly string[]>;

type Paths = Pick<NodePaths, "root" | "data">;

/** Root's ssh directory: the daemon runs as root. */
const sshDirectory = (paths: Paths): string => located(paths, join(userInfo().homedir, ".ssh"));
export const authorizedKeysPath = (paths: Paths): string =>
  join(sshDirectory(paths), "authorized_keys");
export const nodeKeysPath = ({ data }: Paths): string => join(data, "ganeti_pub_keys");
/** The private key; `.pub` is added for the public one. */
export const ownKeyPath = (paths: Paths, type: string): string =>
  join(sshDirectory(paths), `id_${type}`);

/** The part of a line that identifies a key: RSA and DSA keys are compared without comment, all others as whole lines. */
function identity(line: string): string {
  const words = line.trim().split(/\s+/);
  return (/^ssh-(dss|rsa)$/.test(words[0] ?? "") ? words.slice(0, 2) : words).join(" ");
}

const textOf = (path: string): Promise<string> => readFile(path, "utf8").catch(ifMissing(""));

const linesOf = (text: string): readonly string[] => text.split("\n").filter((line) => line !== "");

export const authorizedKeys = async (paths: Paths): Promise<readonly string[]> =>
  linesOf(await textOf(authorizedKeysPath(paths)));

export const hasKey = (lines: readonly string[], key: string): boolean =>
  lines.some((line) => identity(line) === identity(key));

async function writeAuthorizedKeys(paths: Paths, lines: readonly string[]): Promise<void> {
  const path = authorizedKeysPath(paths);
  await mkdir(sshDirectory(paths), { recursive: true, mode: 0o700 });
  const attributes = await attributesOf(path, { mode: 0o600 });
  await replaceFile(path, lines.map((line) => `${line}\n`).join(""), attributes);
}

/** Adds `keys` to `authorized_keys`; existing entries stay as they are. */
export async function authorizeKeys(paths: Paths, keys: readonly string[]): Promise<void> {
  const lines = await authorizedKeys(paths);
  const missing = keys.filter((key) => !hasKey(lines, key)).map((key) => key.trim());
  if (missing.length > 0) await writeAuthorizedKeys(paths, [...lines, ...missing]);
}

export async function revokeKeys(paths: Paths, keys: readonly string[]): Promise<void> {
  const lines = await authorizedKeys(paths);
  const kept = lines.filter((line) => !hasKey(keys, line));
  if (kept.length < lines.length) await writeAuthorizedKeys(paths, kept);
}

export async function readNodeKeys(paths: Paths): Promise<NodeKeys> {
  const keys = new Map<string, readonly string[]>();
  for (const line of linesOf(await textOf(nodeKeysPath(paths)))) {
    const [node = "", ...key] = line.split(" ");
    keys.set(node, [...(keys.get(node) ?? []), key.join(" ")]);
  }
  return keys;
}

export async function writeNodeKeys(paths: Paths, keys: NodeKeys): Promise<void> {
  const lines = [...keys].flatMap(([node, own]) => own.map((key) => `${node} ${key.trim()}\n`));
  await replaceFile(nodeKeysPath(paths), lines.join(""));
}

/** Generates a key pair in root's ssh directory, replacing an earlier one, and returns the public key. */
export async function generateKeys(
  { paths, run }: Pick<NodeContext, "paths" | "run">,
  { type, bits, suffix }: { type: string; bits: number; suffix: string },
): Promise<string> {
  if (!/^(rsa|dsa|ecdsa)$/.test(type)) throw new Error(`Invalid type of ssh keys: '${type}'`);
  if (!/^[_a-z]*$/.test(suffix)) throw new Error(`Invalid suffix of ssh keys: '${suffix}'`);
  const path = `${ownKeyPath(paths, type)}${suffix}`;
  await mkdir(sshDirectory(paths), { recursive: true, mode: 0o700 });
  await removePair(path);
  const size = bits > 0 ? ["-b", String(bits)] : [];
  const args = ["-q", "-t", type, ...size, "-f", path, "-N", ""];
  const ended = await run.run({ program: "ssh-keygen", args });
  if (ended.code !== 0) throw new Error(`Cannot make ssh keys: ${ended.stderr}`);
  return (await readFile(`${path}.pub`, "utf8")).trim();
}

const removePair = async (path: string): Promise<void> => {
  for (const one of [path, `${path}.pub`]) await rm(one, { force: true });
};

/** Removes the keys of a node that leaves its cluster, and their entries in `authorized_keys`. */
export async function removeOwnKeys({ paths }: Pick<NodeContext, "paths">): Promise<void> {
  for (const type of ["rsa", "dsa", "ecdsa"]) {
    const path = ownKeyPath(paths, type);
    await revokeKeys(paths, linesOf(await textOf(`${path}.pub`)));
    await removePair(path);
  }
}
