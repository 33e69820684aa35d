// node wasm/build.js: compiles this folder to src/json/record-scan-code.ts. Needed after a change here;
// the outcome is kept with the sources, so that nobody else needs the compiler.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const compiler = "assemblyscript@0.28.20";
const here = fileURLToPath(new URL(".", import.meta.url));
const source = join(here, "record-scan.ts");
const outcome = fileURLToPath(new URL("../src/json/record-scan-code.ts", import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "record-scan-"));
const binary = join(folder, "record-scan.wasm");
execFileSync(
  "npx",
  ["--yes", "-p", compiler, "asc", source, "-o", binary, "--runtime", "stub", "--noAssert", "-O3"],
  { stdio: "inherit" },
);
const code = readFileSync(binary).join(",");
rmSync(folder, { recursive: true });

const digest = createHash("sha256");
for (const name of readdirSync(here).sort()) {
  if (name.endsWith(".ts")) digest.update(readFileSync(join(here, name)));
}
writeFileSync(
  outcome,
  `/**
 * The bytes of a WebAssembly module, made of \`wasm/*.ts\` by \`wasm/build.js\`; as a JSON list,
 * which becomes bytes sooner than base64 where nothing but the language is at hand.
 */
// biome-ignore format: one line is enough for what nobody reads
export const recordScanCode = "[${code}]";

/** SHA-256 of the sources it was made of: a test sees that they belong together. */
export const recordScanSource = "${digest.digest("hex")}";
`,
);
