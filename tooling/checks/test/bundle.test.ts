import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { root, run } from "../src/repository.js";

const bundle = join(root, "apps/hail/dist/hail.js");
const message = join(root, "apps/hail/examples/allocate-drbd.json");

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ganeti-ts-bundle-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test.each([
  { name: "hail", type: undefined },
  { name: "hail", type: "module" },
  { name: "hail", type: "commonjs" },
  { name: "hail.js", type: undefined },
  { name: "hail.js", type: "module" },
  { name: "hail.js", type: "commonjs" },
])("copied alone as $name beside a package of type $type, hail answers", ({ name, type }) => {
  if (type !== undefined) writeFileSync(join(folder, "package.json"), JSON.stringify({ type }));
  copyFileSync(bundle, join(folder, name));
  const { status, stdout, output } = run(join(folder, name), [message], folder);
  expect(status, output).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    success: true,
    result: ["node3.example.com", "node2.example.com"],
  });
});

const dist = join(root, "apps/hail/dist");
const programs = readdirSync(dist)
  .filter((file) => /^h.*\.js$/.test(file))
  .map((file) => file.replace(".js", ""));

test.each(programs)("%s begins without a schema library: it would only cost time", (name) => {
  expect(readFileSync(join(dist, `${name}.js`), "utf8")).not.toMatch(/ZodType/);
  expect(statSync(join(dist, `${name}.js`)).size).toBeLessThan(
    name === "htools" ? 2_000_000 : 1_050_000,
  );
});

test.each(["hinfo", "htools"])("copied alone, %s has all it takes to ask a cluster", (name) => {
  copyFileSync(join(dist, `${name}.js`), join(folder, name));
  const words = name === "htools" ? ["hinfo", "-m", "localhost:1"] : ["-m", "localhost:1"];
  const { status, output } = run(join(folder, name), words, folder);
  expect(status).toBe(1);
  expect(output).toContain(
    "Curl error for 'localhost:1/2/groups?bulk=1', error CurlCouldntConnect",
  );
});

const gnt = join(root, "apps/gnt/dist");

test.each(["module", "commonjs"])(
  "copied alone beside a package of type %s, gnt-job runs",
  (type) => {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type }));
    copyFileSync(join(gnt, "gnt-job.js"), join(folder, "gnt-job.js"));
    const version = run(join(folder, "gnt-job.js"), ["--version"], folder);
    expect(version.status, version.output).toBe(0);
    expect(version.stdout).toMatch(/^gnt-job \(ganeti 3/);
    // Which takes what typical calls do not load.
    const list = run(join(folder, "gnt-job.js"), ["list", "id >"], folder);
    expect(list.output).toContain("Failed to parse query filter 'id >'");
    const nobody = run(join(folder, "gnt-job.js"), ["list", "--data-dir", folder], folder);
    expect(nobody.output).toContain("Is the process running and listening for connections?");
  },
);
