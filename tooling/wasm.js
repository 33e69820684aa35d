// Compiles AssemblyScript that a package keeps in its folder `wasm`. The result is kept with the
// sources, so that only a change of these needs the compiler.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const compiler = fileURLToPath(import.meta.resolve("assemblyscript/bin/asc.js"));

/**
 * Writes a module of two constants, `NAMECode` and `NAMESource`.
 * @param folder of the sources, all of which may be part of `entry`; and `outcome`, from there
 * @param optimize the compiler's option: `-O3` for speed, `-Os` for size
 */
export function compileWasm({ folder, entry, outcome, name, optimize }) {
  const scratch = mkdtempSync(join(tmpdir(), "wasm-"));
  const binary = join(scratch, "module.wasm");
  const options = ["-o", binary, "--runtime", "stub", "--noAssert", optimize];
  const source = fileURLToPath(new URL(entry, folder));
  execFileSync(process.execPath, [compiler, source, ...options], { stdio: "inherit" });
  const code = readFileSync(binary).join(",");
  rmSync(scratch, { recursive: true });
  writeFileSync(
    new URL(outcome, folder),
    `/**
 * The bytes of a WebAssembly module, made of \`wasm/*.ts\` by \`wasm/build.js\`; as a JSON list,
 * which becomes bytes sooner than base64 where nothing but the language is at hand.
 */
// biome-ignore format: one line is enough for what nobody reads
export const ${name}Code = "[${code}]";

/** SHA-256 of the sources it was made of: a test sees that they belong together. */
export const ${name}Source = "${sourceDigest(folder)}";
`,
  );
}

/** SHA-256 of the sources in `folder`: what the constant `NAMESource` tells while nothing has changed. */
export function sourceDigest(folder) {
  const digest = createHash("sha256");
  for (const file of readdirSync(folder).sort()) {
    if (file.endsWith(".ts")) digest.update(readFileSync(new URL(file, folder)));
  }
  return digest.digest("hex");
}
