#!/usr/bin/env node
// A release: versions, build, tarballs, checks, and on request their publication.
//
//   pnpm release            everything but publishing, in a copy of the last commit: the working folder stays as it is
//   pnpm release version    versions and CHANGELOGs in the working folder, for a commit
//   pnpm release publish    builds, packs, checks and publishes the versions of the working folder
//
// Publishing needs credentials (NODE_AUTH_TOKEN for the registry that npm is configured for), a clean working folder
// without changesets, and a real address in the package.json of the repository.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { argv, env, exit } from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Runs a program in a folder with its output on the screen; throws if it fails. */
function runProgram(folder, [program, ...args]) {
  console.log(`$ ${[program, ...args].join(" ")}`);
  const { status, error } = spawnSync(program, args, { cwd: folder, stdio: "inherit" });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ended with status ${status}`);
}

/** The output of a program. */
function outputOf(folder, [program, ...args]) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: folder,
    encoding: "utf8",
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ended with status ${status}: ${stderr}`);
  return stdout.trim();
}

const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));

/** Packages and programs that are published: where each is, its name and version. */
export function publishedIn(folder) {
  return ["packages", "apps"].flatMap((kind) =>
    readdirSync(join(folder, kind))
      .map((name) => ({ path: join(kind, name), ...manifestIn(folder, kind, name) }))
      .filter((one) => one.name !== undefined && one.private !== true)
      .map(({ path, name, version }) => ({ path, name, version })),
  );
}

function manifestIn(folder, kind, name) {
  try {
    return readJson(join(folder, kind, name, "package.json"));
  } catch (error) {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return {};
    throw error;
  }
}

/** Changesets that no version contains yet. */
export const changesetsIn = (folder) =>
  readdirSync(join(folder, ".changeset")).filter(
    (name) => name.endsWith(".md") && name !== "README.md",
  );

/** Reasons not to publish what is in a folder; none if it may be published. */
export function objectionsTo(folder, token, changedFiles) {
  const changesets = changesetsIn(folder);
  const unversioned = publishedIn(folder).filter(({ version }) => version === "0.0.0");
  const { url } = readJson(join(folder, "package.json")).repository;
  return [
    ...(token ? [] : ["NODE_AUTH_TOKEN is not set"]),
    ...(changedFiles === "" ? [] : [`uncommitted changes:\n${changedFiles}`]),
    ...(changesets.length === 0
      ? []
      : [`${changesets.length} changesets have no version: run pnpm release version`]),
    ...unversioned.map(({ name }) => `${name} has version 0.0.0`),
    ...(/\bexample\.(com|net|org)\b/.test(url)
      ? [`${url} is no address: set homepage, bugs and repository of package.json`]
      : []),
  ];
}

const pnpmOf = (folder) => ["npx", "--yes", readJson(join(folder, "package.json")).packageManager];

/** Builds what is in a folder, packs it into `destination` and checks the tarballs. */
function makeTarballs(folder, destination, run) {
  const published = publishedIn(folder);
  run(folder, [...pnpmOf(folder), "run", "build"]);
  const filters = published.map(({ name }) => `--filter=${name}`);
  run(folder, [...pnpmOf(folder), ...filters, "pack", "--pack-destination", destination]);
  run(folder, ["npx", "vitest", "run", "--config", "vitest.rules.ts", "packed", "sizes"]);
  for (const { name, version } of published) {
    const tarball = tarballOf(destination, name, version);
    console.log(`${name} ${version}: ${(statSync(tarball).size / 1000).toFixed(0)} kB`);
  }
  return published;
}

const tarballOf = (destination, name, version) =>
  join(destination, `${name.replace(/^@/, "").replace("/", "-")}-${version}.tgz`);

/** Gives each package the version that its changesets ask for, and its CHANGELOG their texts. */
function setVersions(folder, run) {
  if (changesetsIn(folder).length === 0) throw new Error("there is no changeset: nothing to do");
  run(folder, ["npx", "changeset", "version"]);
}

/** The whole release but its publication, in a copy of the last commit. */
function rehearse(folder, run) {
  const scratch = mkdtempSync(join(tmpdir(), "ganeti-ts-release-"));
  const copy = join(scratch, "copy");
  try {
    run(folder, ["git", "clone", "--quiet", "--no-hardlinks", folder, copy]);
    run(copy, [...pnpmOf(folder), "install", "--frozen-lockfile", "--prefer-offline"]);
    if (changesetsIn(copy).length > 0) setVersions(copy, run);
    const published = makeTarballs(copy, join(scratch, "tarballs"), run);
    console.log(`dry run: ${published.length} packages are ready, none was published`);
    return published;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Publishes the versions in a folder. */
function publish(folder, run) {
  const changed = outputOf(folder, ["git", "status", "--porcelain"]);
  const objections = objectionsTo(folder, env.NODE_AUTH_TOKEN, changed);
  if (objections.length > 0) throw new Error(`not published:\n  ${objections.join("\n  ")}`);
  const scratch = mkdtempSync(join(tmpdir(), "ganeti-ts-release-"));
  try {
    for (const { name, version } of makeTarballs(folder, scratch, run)) {
      run(folder, ["npm", "publish", tarballOf(scratch, name, version), "--access", "public"]);
      run(folder, ["git", "tag", `${name}@${version}`]);
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Carries out one word of the command line; `run` is replaced by tests. */
export function release(folder, word = "dry-run", run = runProgram) {
  switch (word) {
    case "dry-run":
      return rehearse(folder, run);
    case "version":
      return setVersions(folder, run);
    case "publish":
      return publish(folder, run);
    default:
      throw new Error(`usage: ${basename(argv[1])} [dry-run|version|publish]`);
  }
}

if (import.meta.url === pathToFileURL(argv[1]).href) {
  try {
    release(fileURLToPath(new URL("../", import.meta.url)), argv[2]);
  } catch (error) {
    console.error(error.message);
    exit(1);
  }
}
