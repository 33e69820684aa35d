import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { copyExamples, serveCluster } from "../src/examples.js";
import { serveNode } from "../src/installed-node.js";
import {
  compileExamples,
  filesIn,
  installTogether,
  manifestIn,
  missingNeighbours,
  objections,
  type Packed,
  packAll,
  runExample,
  textIn,
  typeFaults,
  unpackTogether,
  wrongModes,
} from "../src/packed.js";
import { relativeLinks, runnableExamples } from "../src/readme.js";
import { mustPass, root, run } from "../src/repository.js";

// No limit of time decides: a machine may be slow.
const timeout = 3_600_000;

let scratch: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), "ganeti-ts-packed-"));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const emptyFolder = (name: string) => {
  const path = join(scratch, name);
  mkdirSync(path, { recursive: true });
  return path;
};

/** Lines of the page's log after this number of clicks on its button, in a document with only the parts it uses. */
function clicksOn(script: string, count: number): string[] {
  const lines: { textContent: string }[] = [];
  let submit = (_: object) => {};
  const fields: Record<string, object> = {
    form: {
      addEventListener: (_: string, listener: typeof submit) => {
        submit = listener;
      },
    },
    memory: { value: "8192" },
    disk: { value: "51200" },
    log: { append: (line: { textContent: string }) => lines.push(line) },
  };
  const document = {
    getElementById: (id: string) => fields[id],
    createElement: () => ({ textContent: "" }),
  };
  runInNewContext(script, { document });
  for (let click = 0; click < count; click++) submit({ preventDefault: () => {} });
  return lines.map(({ textContent }) => textContent);
}

describe("packed and installed together in an empty folder", () => {
  let packed: Packed[];
  let sandbox: string;
  beforeAll(() => {
    packed = packAll(emptyFolder("tarballs"));
    sandbox = emptyFolder("stranger");
    installTogether(packed, sandbox);
  }, timeout);

  test("a package carries its build and its papers, nothing else", () => {
    for (const { name, tarball } of packed) {
      const files = filesIn(tarball);
      expect(files, name).toEqual(expect.arrayContaining(["LICENSE", "README.md", "package.json"]));
      const others = files.filter(
        (file) => !/^((dist|docs)\/.*|LICENSE|(README|CHANGELOG)\.md|package\.json)$/.test(file),
      );
      expect(others, name).toEqual([]);
      expect(
        files.filter((file) => /\.test\./.test(file)),
        name,
      ).toEqual([]);
    }
  });

  test("scripts may be executed and nothing else, and files that modules need at run time are there", () => {
    const folder = emptyFolder("unpacked");
    unpackTogether(packed, folder);
    for (const { name } of packed) {
      expect(wrongModes(join(folder, name)), name).toEqual([]);
      expect(missingNeighbours(join(folder, name)), name).toEqual([]);
    }
  });

  test("programs with names of Ganeti's are in PATH only after gnt commands has put them there", () => {
    const ours = join(sandbox, "node_modules");
    const found = (before: string) => {
      const code = `${before} for name in gnt-instance hbal; do command -v $name || echo none; done`;
      const path = `${join(ours, ".bin")}:/usr/bin:/bin:${dirname(process.execPath)}`;
      return mustPass(run("sh", ["-euc", code], sandbox, { PATH: path })).stdout;
    };
    expect(found("")).not.toContain(ours);
    expect(found("PATH=$(gnt commands):$PATH;")).toMatch(
      /^\S+\/gnt\/dist\/bin\/gnt-instance\n\S+\/hail\/dist\/bin\/hbal\n$/,
    );
  });

  test("the installed node daemon lists its OS definitions and runs their scripts", async () => {
    const node = await serveNode(sandbox, emptyFolder("node"));
    try {
      expect(node.ask("os_diagnose", {})).toMatchObject({
        ok: true,
        value: [{ name: "debian", valid: true, fault: "" }],
      });
      const parameters = { console: "morse" };
      const os = { ...{ name: "debian+small", required: true, forceVariant: false }, parameters };
      expect(node.ask("os_validate", { ...os, checks: ["parameters"] })).toMatchObject({
        ok: false,
        message: expect.stringContaining("'morse' is neither login nor shell"),
      });
    } finally {
      await node.stop();
    }
  });

  test("links of a README lead to a file of its tarball, or to an address", () => {
    for (const { name, path, tarball } of packed) {
      const links = relativeLinks(readFileSync(join(root, path, "README.md"), "utf8"));
      expect(
        links.filter((link) => !filesIn(tarball).includes(link)),
        name,
      ).toEqual([]);
    }
  });

  test("a library's modules come with maps that carry their sources", () => {
    for (const { name, tarball } of packed.filter(({ isLibrary }) => isLibrary)) {
      const files = filesIn(tarball);
      const modules = files.filter((file) => /^dist\/.*\.js$/.test(file));
      expect(
        modules.filter((file) => !files.includes(`${file}.map`)),
        name,
      ).toEqual([]);
      const map = JSON.parse(textIn(tarball, "dist/index.js.map"));
      expect(map.sourcesContent, name).toEqual([expect.stringContaining("export")]);
    }
  });

  test("a package asks for versions that exist outside this repository", () => {
    for (const { name, tarball } of packed) {
      expect(manifestIn(tarball), name).not.toMatch(/"(workspace|catalog):/);
    }
  });

  test("publint has no objection", async () => {
    for (const { name, tarball } of packed) expect(await objections(tarball), name).toEqual([]);
  });

  test("attw finds the types of every library right", async () => {
    for (const { name, tarball } of packed.filter(({ isLibrary }) => isLibrary)) {
      expect(await typeFaults(tarball), name).toEqual([]);
    }
  });

  test("each README shows an example that runs and prints what it says", { timeout }, () => {
    const examplesOf = (path: string) =>
      runnableExamples(readFileSync(join(root, path, "README.md"), "utf8"));
    expect(
      compileExamples(
        packed.flatMap(({ path }) => examplesOf(path)),
        sandbox,
      ),
    ).toEqual([]);
    for (const { path } of packed) {
      const examples = examplesOf(path);
      expect(examples.length, `${path}/README.md has no runnable example`).toBeGreaterThan(0);
      for (const example of examples) {
        const { status, stdout, output } = runExample(example, sandbox);
        expect(status, `${path}: ${output}`).toBe(0);
        if (example.output !== undefined) expect(stdout, path).toBe(example.output);
      }
    }
  });

  describe("an example", () => {
    let folder: string;
    beforeAll(() => {
      folder = copyExamples(sandbox);
    });

    const node = (program: string, ...args: string[]) =>
      mustPass(run(process.execPath, [join(folder, program), ...args], folder)).stdout;

    test.each([
      { why: "names the two nodes with most memory", memory: 2048, success: true, nodeCount: 2 },
      { why: "says where nothing fits", memory: 10_000_000, success: false, nodeCount: 0 },
    ])("the allocator of one's own $why", ({ memory, success, nodeCount }) => {
      const file = join(root, "apps/hail/examples/allocate-drbd.json");
      const message = JSON.parse(readFileSync(file, "utf8"));
      message.request.memory = memory;
      writeFileSync(join(folder, "message.json"), JSON.stringify(message));
      const answer = JSON.parse(node("own-allocator/allocator.mjs", join(folder, "message.json")));
      expect(answer).toMatchObject({ success });
      expect(answer.result).toHaveLength(nodeCount);
    });

    test("the queue of other jobs holds, refuses and prints", () => {
      expect(node("other-jobs/queue.mjs").split("\n")).toEqual([
        "Job 1 is paused by filter rule RULE (new drum)",
        "Job 3 waits for job 1 to finish",
        '[1,"success",[{"pages":2}]]',
        '[2,"error",[["OutOfPaper",["the tray holds 100 sheets"]]]]',
        '[3,"success",[{"pages":2}]]',
        "",
      ]);
    });

    test("the page places an instance on each click, until nothing fits", () => {
      node("browser/build.mjs");
      const lines = clicksOn(readFileSync(join(folder, "browser/page.js"), "utf8"), 60);
      expect(lines[0]).toMatch(/^vm1\.example\.com on node-01-\d+ and node-01-\d+$/);
      expect(lines.at(-1)).toContain("Request failed: ");
    });

    test("scripts report over the remote API, in TypeScript and in Python", {
      timeout,
    }, async () => {
      const { port, user, password, stop } = await serveCluster(sandbox);
      try {
        const url = `https://${user}:${password}@127.0.0.1:${port}`;
        expect(node("rapi-scripts/report.mjs", url, "web1.example.com")).toMatch(
          /^job \d+: success\nweb1\.example\.com: 256 MiB, running\n$/,
        );
        if (!existsSync("/usr/lib/python3/dist-packages/ganeti/rapi/client.py")) return;
        const script = join(folder, "rapi-scripts/report.py");
        const args = [script, "127.0.0.1", String(port), user, password, "web2.example.com"];
        expect(mustPass(run("/usr/bin/python3", args, folder)).stdout).toMatch(
          /^job \d+: success\nweb1.*\nweb2\.example\.com: 256 MiB, running\n$/,
        );
      } finally {
        await stop();
      }
    });
  });
});

describe("these checks refuse", () => {
  /** Packs a library of one module, with `change` over its package.json and without `missing`. */
  const tarballOf = (name: string, change: object, missing: string) => {
    const folder = emptyFolder(name);
    mkdirSync(join(folder, "dist"));
    const manifest = {
      name,
      version: "1.0.0",
      type: "module",
      license: "BSD-2-Clause",
      exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
      files: ["dist"],
      ...change,
    };
    const files = {
      "package.json": JSON.stringify(manifest),
      "dist/index.js": "export const one = 1;\n",
      "dist/index.d.ts": "export declare const one: number;\n",
    };
    for (const [path, text] of Object.entries(files)) {
      if (path !== missing) writeFileSync(join(folder, path), text);
    }
    mustPass(run("npm", ["pack"], folder));
    return join(folder, `${name}-1.0.0.tgz`);
  };

  test("nothing in a whole package", async () => {
    const tarball = tarballOf("whole", {}, "");
    expect(await objections(tarball)).toEqual([]);
    expect(await typeFaults(tarball)).toEqual([]);
  });

  test("a door that leads nowhere", async () => {
    const tarball = tarballOf("no-module", {}, "dist/index.js");
    expect(await objections(tarball)).toEqual([expect.stringContaining("does not exist")]);
  });

  test("types that are promised and missing", async () => {
    const tarball = tarballOf("no-types", {}, "dist/index.d.ts");
    expect(await objections(tarball)).toEqual([expect.stringContaining("does not exist")]);
    expect(await typeFaults(tarball)).toEqual(["there are no types"]);
  });

  test("ES modules under the name of CommonJS", async () => {
    const tarball = tarballOf("wrong-kind", { type: "commonjs" }, "");
    expect(await objections(tarball)).not.toEqual([]);
    expect(await typeFaults(tarball)).not.toEqual([]);
  });

  test("an example that does not compile", () => {
    const sandbox = emptyFolder("compiled");
    writeFileSync(
      join(sandbox, "tsconfig.json"),
      '{ "compilerOptions": { "noEmit": true, "types": [] } }',
    );
    const code = "const one: string = 1;\n";
    expect(compileExamples([{ language: "ts", code, output: undefined }], sandbox)).toEqual([
      expect.stringContaining("TS2322"),
    ]);
  });

  test.each([
    { why: "throws", language: "js", code: 'throw new Error("no");\n' },
    { why: "imports what is not installed", language: "js", code: 'import "@ganeti-ts/no";\n' },
    { why: "has a command that fails", language: "sh", code: "false\ntrue\n" },
  ] as const)("an example that $why", ({ language, code }) => {
    const { status } = runExample({ language, code, output: undefined }, emptyFolder("examples"));
    expect(status).not.toBe(0);
  });
});
