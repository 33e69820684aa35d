// Rules for each package.json: one public entry point and no other way in.

/** The parts of a package.json that this repository has rules for. */
export interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly private?: boolean;
  readonly type?: string;
  readonly license?: string;
  readonly sideEffects?: boolean;
  readonly engines?: unknown;
  readonly files?: readonly string[];
  readonly exports?: unknown;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly description?: string;
  readonly keywords?: readonly string[];
  readonly author?: string;
  readonly homepage?: string;
  readonly bugs?: string;
  readonly repository?: {
    readonly type: string;
    readonly url: string;
    readonly directory?: string;
  };
}

/** Data by which the entry points of a folder are checked. */
export interface Surroundings {
  /** Entry points besides ".". */
  readonly furtherDoors: readonly string[];
  /** It has a `docs/` folder, which is shipped. */
  readonly hasDocs: boolean;
  /** The package.json of the repository: the place where author and addresses are written down. */
  readonly project: Manifest;
}

const frontDoor = { types: "./dist/index.d.ts", default: "./dist/index.js" };

/**
 * Every rule that the manifest of `kind`/`folder` breaks, in words.
 *
 * A library opens "." (and its further doors); an app opens no module, only programs.
 */
export function doorFaults(
  kind: "packages" | "apps",
  folder: string,
  manifest: Manifest,
  around: Surroundings,
): string[] {
  const rules: readonly [string, boolean][] = [
    [`name is @ganeti-ts/${folder}`, manifest.name === `@ganeti-ts/${folder}`],
    ["type is module", manifest.type === "module"],
    ["license is BSD-2-Clause", manifest.license === "BSD-2-Clause"],
    ["engines.node is >=20.19", same(manifest.engines, { node: ">=20.19" })],
    ...(kind === "packages"
      ? libraryRules(manifest, around)
      : folder === page
        ? pageRules(manifest)
        : programRules(manifest.exports, manifest.bin ?? {}, manifest.files ?? [])),
    ...(manifest.private === true ? [] : paperRules(`${kind}/${folder}`, manifest, around)),
  ];
  return rules.filter(([, kept]) => !kept).map(([rule]) => `${kind}/${folder}: ${rule}`);
}

/** The app that is a page in browsers: it has no program, and the server finds its files by its package.json. */
const page = "web";

const pageRules = ({ exports, bin, files = [] }: Manifest): [string, boolean][] => [
  ["exports package.json alone", same(exports, { "./package.json": "./package.json" })],
  ["has no program", bin === undefined],
  ["has files in dist", files.includes("dist")],
];

function libraryRules(manifest: Manifest, { furtherDoors }: Surroundings): [string, boolean][] {
  const exports = Object(manifest.exports);
  const further = Object.keys(exports).filter((door) => door !== ".");
  return [
    ["sideEffects is false", manifest.sideEffects === false],
    ['exports["."] is dist/index', same(exports["."], frontDoor)],
    [`doors besides "." are ${furtherDoors.join(", ") || "none"}`, same(further, furtherDoors)],
  ];
}

const ofGaneti = /^(gnt-.*|h(arep|bal|check|info|roller|scan|space|squeeze))$/;

function programRules(
  exports: unknown,
  bin: Readonly<Record<string, string>>,
  files: readonly string[],
): [string, boolean][] {
  const programs = Object.values(bin);
  return [
    ["exports no module", same(exports, {})],
    ["has a program", programs.length > 0],
    // They would take the place of Ganeti's programs on a master as soon as the package is installed.
    ["no program has a name of Ganeti's", !Object.keys(bin).some((name) => ofGaneti.test(name))],
    ["programs are in dist", programs.every((path) => path.startsWith("dist/"))],
    ["has files in dist", files.some((path) => path === "dist" || path.startsWith("dist/"))],
  ];
}

const papers = ["docs", "CHANGELOG.md"];

/** Author, repository, and presence of the required documents in the tarball. */
function paperRules(
  path: string,
  manifest: Manifest,
  { hasDocs, project }: Surroundings,
): [string, boolean][] {
  const { description = "", keywords = [], files = [], repository, homepage, bugs } = manifest;
  const shipped = files.filter((file) => !/^!?dist(\/|$)/.test(file));
  const [address] = (project.homepage ?? "").split("#");
  return [
    ["has a description and three keywords", description !== "" && keywords.length >= 3],
    ["author is that of the repository", manifest.author === project.author],
    ["bugs is that of the repository", bugs === project.bugs],
    [
      "repository is that of the repository, with its directory",
      same(repository, { ...project.repository, directory: path }),
    ],
    ["homepage is its folder", homepage === `${address}/tree/main/${path}#readme`],
    [
      `files are dist and ${hasDocs ? papers.join(", ") : "CHANGELOG.md"}`,
      same(shipped, hasDocs ? papers : papers.slice(1)),
    ],
  ];
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
