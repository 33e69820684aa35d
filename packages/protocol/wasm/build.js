// node wasm/build.js: compiles record-scan.ts to src/json/record-scan-code.ts. Needed after a change of
// it; the outcome is kept with the sources, so that nobody else needs the compiler.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const compiler = "assemblyscript@0.28.20";
const source = fileURLToPath(new URL("record-scan.ts", import.meta.url));
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

const digest = createHash("sha256").update(readFileSync(source)).digest("hex");
writeFileSync(
  outcome,
  `/**
 * The bytes of a WebAssembly module, made of \`wasm/record-scan.ts\` by \`wasm/build.js\`; as a JSON list,
 * which becomes bytes sooner than base64 where nothing but the language is at hand.
 */
// biome-ignore format: one line is enough for what nobody reads
export const recordScanCode = "[${code}]";

/** SHA-256 of the source it was made of: a test sees that they belong together. */
export const recordScanSource = "${digest}";
`,
);
