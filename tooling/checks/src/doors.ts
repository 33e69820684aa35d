// Rules for each package.json: one public entry point and no other way in.

/** The parts of a package.json that this repository has rules for. */
export interface Manifest {
  readonly name?: string;
  readonly private?: boolean;
  readonly type?: string;
  readonly license?: string;
  readonly sideEffects?: boolean;
  readonly engines?: unknown;
  readonly files?: readonly string[];
  readonly exports?: unknown;
  readonly bin?: Readonly<Record<string, string>>;
}

const frontDoor = { types: "./dist/index.d.ts", default: "./dist/index.js" };

/**
 * Every rule that the manifest of `kind`/`folder` breaks, in words.
 *
 * A library opens "." (and what `furtherDoors` names); an app opens no module, only programs.
 */
export function doorFaults(
  kind: "packages" | "apps",
  folder: string,
  manifest: Manifest,
  furtherDoors: readonly string[],
): string[] {
  const rules: readonly [string, boolean][] = [
    [`name is @ganeti-ts/${folder}`, manifest.name === `@ganeti-ts/${folder}`],
    ["type is module", manifest.type === "module"],
    ["license is BSD-2-Clause", manifest.license === "BSD-2-Clause"],
    ["engines.node is >=20.19", same(manifest.engines, { node: ">=20.19" })],
    ...(kind === "packages"
      ? libraryRules(manifest, furtherDoors)
      : programRules(manifest.exports, manifest.bin ?? {}, manifest.files ?? [])),
  ];
  return rules.filter(([, kept]) => !kept).map(([rule]) => `${kind}/${folder}: ${rule}`);
}

function libraryRules(manifest: Manifest, furtherDoors: readonly string[]): [string, boolean][] {
  const exports = Object(manifest.exports);
  const further = Object.keys(exports).filter((door) => door !== ".");
  return [
    ["sideEffects is false", manifest.sideEffects === false],
    ["files is dist alone", same(manifest.files, ["dist"])],
    ['exports["."] is dist/index', same(exports["."], frontDoor)],
    [`doors besides "." are ${furtherDoors.join(", ") || "none"}`, same(further, furtherDoors)],
  ];
}

function programRules(
  exports: unknown,
  bin: Readonly<Record<string, string>>,
  files: readonly string[],
): [string, boolean][] {
  const programs = Object.values(bin);
  return [
    ["exports no module", same(exports, {})],
    ["has a program", programs.length > 0],
    ["programs are in dist", programs.every((path) => path.startsWith("dist/"))],
    ["files are in dist", files.every((path) => path === "dist" || path.startsWith("dist/"))],
  ];
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
