import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { objectionsTo, publishedIn, release } from "../../release.js";
import { mustPass, root, run } from "../src/repository.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ganeti-ts-release-test-"));
  const url = "git+https://code.test/x.git";
  write("package.json", { private: true, packageManager: "pnpm@10.34.9", repository: { url } });
  write("pnpm-workspace.yaml", "packages: [packages/*, apps/*]\n");
  write(".gitignore", "node_modules\n");
  write("packages/core/package.json", { name: "@x/core", version: "0.0.0" });
  const dependencies = { "@x/core": "workspace:^" };
  write("apps/tool/package.json", { name: "@x/tool", version: "0.0.0", dependencies });
  write("packages/kit/package.json", { name: "@x/kit", version: "0.0.0", private: true });
  for (const file of ["config.json", "changelog.cjs"]) {
    cpSync(join(root, ".changeset", file), join(folder, ".changeset", file));
  }
  write(".changeset/one.md", '---\n"@x/core": minor\n---\n\nIt counts.\n\nAlso backwards.\n');
  write(".changeset/two.md", '---\n"@x/tool": minor\n---\n\nIt prints.\n');
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  for (const args of [
    ["init", "--quiet"],
    ["add", "."],
    ["commit", "--quiet", "-m", "begin"],
  ]) {
    const identity = ["-c", "user.name=test", "-c", "user.email=test@code.test"];
    mustPass(run("git", [...identity, ...args], folder));
  }
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (path: string, content: object | string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  const text = typeof content === "string" ? content : `${JSON.stringify(content)}\n`;
  writeFileSync(join(folder, path), text);
};

const quietly = (where: string, [program = "", ...args]: readonly string[]) => {
  mustPass(run(program, args, where));
};

test("what is published is every package and app that is not private", () => {
  expect(publishedIn(folder).map(({ path, name }) => [path, name])).toEqual([
    ["packages/core", "@x/core"],
    ["apps/tool", "@x/tool"],
  ]);
});

test("versions come from the changesets, and their texts go into the CHANGELOGs, without hashes", () => {
  release(folder, "version", quietly);
  expect(publishedIn(folder).map(({ version }) => version)).toEqual(["0.1.0", "0.1.0"]);
  expect(readFileSync(join(folder, "packages/core/CHANGELOG.md"), "utf8")).toBe(
    "# @x/core\n\n## 0.1.0\n\n### Minor Changes\n\n- It counts.\n\n  Also backwards.\n",
  );
  const ofTool = readFileSync(join(folder, "apps/tool/CHANGELOG.md"), "utf8");
  expect(ofTool).toContain("- It prints.");
  expect(ofTool).toContain("- Works with @x/core 0.1.0");
  expect(existsSync(join(folder, ".changeset/one.md"))).toBe(false);
  expect(() => release(folder, "version", quietly)).toThrow("no changeset");
});

describe("a dry run", () => {
  test("makes versions, builds, packs and checks in a copy, publishes nothing and leaves the folder as it is", () => {
    const steps: string[] = [];
    release(folder, "dry-run", (where, command) => {
      const [program, ...args] = command;
      if (program === "git" || args[0] === "changeset") quietly(where, command);
      if (args.includes("install"))
        symlinkSync(join(root, "node_modules"), join(where, "node_modules"));
      const place = where === folder ? "folder" : basename(where);
      steps.push(`${place}: ${command.filter((word) => !word.startsWith("/")).join(" ")}`);
      const destination = args[args.indexOf("--pack-destination") + 1];
      if (!args.includes("pack") || destination === undefined) return;
      mkdirSync(destination);
      for (const name of ["x-core-0.1.0.tgz", "x-tool-0.1.0.tgz"]) {
        writeFileSync(join(destination, name), "");
      }
    });
    expect(steps).toEqual([
      "folder: git clone --quiet --no-hardlinks",
      "copy: npx --yes pnpm@10.34.9 install --frozen-lockfile --prefer-offline",
      "copy: npx changeset version",
      "copy: npx --yes pnpm@10.34.9 run build",
      "copy: npx --yes pnpm@10.34.9 --filter=@x/core --filter=@x/tool pack --pack-destination",
      "copy: npx vitest run --config vitest.rules.ts packed sizes",
    ]);
    expect(run("git", ["status", "--porcelain"], folder).output).toBe("");
    expect(publishedIn(folder).map(({ version }) => version)).toEqual(["0.0.0", "0.0.0"]);
  });

  test("ends where a step fails", () => {
    const failing = (_: string, command: readonly string[]) => {
      if (command.includes("install")) throw new Error("no network");
      quietly(folder, ["true"]);
      mkdirSync(join(command.at(-1) as string, ".changeset"), { recursive: true });
    };
    expect(() => release(folder, "dry-run", failing)).toThrow("no network");
  });
});

describe("publishing", () => {
  const versioned = () => {
    release(folder, "version", quietly);
    return folder;
  };

  test("has no objection once there are versions, a token, a clean folder and an address", () => {
    expect(objectionsTo(versioned(), "token", "")).toEqual([]);
  });

  test("is refused without a token", () => {
    expect(objectionsTo(versioned(), undefined, "")).toEqual(["NODE_AUTH_TOKEN is not set"]);
  });

  test("is refused with uncommitted changes", () => {
    expect(objectionsTo(versioned(), "token", " M README.md")).toEqual([
      expect.stringContaining("README.md"),
    ]);
  });

  test("is refused while changesets have no version", () => {
    expect(objectionsTo(folder, "token", "")).toEqual([
      expect.stringContaining("2 changesets have no version"),
      "@x/core has version 0.0.0",
      "@x/tool has version 0.0.0",
    ]);
  });

  test("is refused as long as the repository has the address of an example", () => {
    versioned();
    write("package.json", { repository: { url: "git+https://code.example.org/x.git" } });
    expect(objectionsTo(folder, "token", "")).toEqual([
      expect.stringContaining("code.example.org/x.git is no address"),
    ]);
  });

  test("a release with faults runs no program", () => {
    const ran: string[] = [];
    expect(() => release(folder, "publish", (_, [program = ""]) => ran.push(program))).toThrow(
      "not published",
    );
    expect(ran).toEqual([]);
  });
});
