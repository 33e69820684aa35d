/** Built files of the page, read once; compressed forms are made at the first request. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { gzipSync } from "node:zlib";

interface UiFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly zipped: () => Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** Its name contains its hash, so that it never changes. */
  readonly isConstant: boolean;
  /** Hashes of its inline scripts and styles, as a content security policy names them; empty for other files. */
  readonly inlineHashes: readonly string[];
}

/** Files by their path below `/ui/`; the page itself is `index.html`. */
export type UiFiles = ReadonlyMap<string, UiFile>;

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** The page of the package `@ganeti-ts/web`; undefined if the package is missing or not built. */
export function installedUi(): UiFiles | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve("@ganeti-ts/web/package.json");
    return uiFilesIn(join(dirname(manifest), "dist"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

/** Files of a folder and of its subfolders; undefined without a page in it. */
export function uiFilesIn(folder: string): UiFiles | undefined {
  if (!existsSync(join(folder, "index.html"))) return undefined;
  const files = new Map<string, UiFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = types[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = new Uint8Array(readFileSync(path));
    const name = path.slice(folder.length + 1).replaceAll("\\", "/");
    let zipped: Uint8Array<ArrayBuffer> | undefined;
    files.set(name, {
      bytes,
      // Made at the first request, so that the start does not wait for it.
      zipped: () => {
        zipped ??= new Uint8Array(gzipSync(bytes));
        return zipped;
      },
      type,
      isConstant: name.startsWith("assets/"),
      inlineHashes: name.endsWith(".html") ? inlineHashes(bytes) : [],
    });
  }
  return files;
}

/** Path of the page's first script, whose name contains its hash and thus differs between builds. */
export function scriptOf(files: UiFiles): string | null {
  const html = new TextDecoder().decode(files.get("index.html")?.bytes);
  return /<script type="module"[^>]* src="([^"]+)"/.exec(html)?.[1] ?? null;
}

function inlineHashes(html: Uint8Array): readonly string[] {
  const texts = new TextDecoder()
    .decode(html)
    .matchAll(/<(?:script|style)>([\s\S]*?)<\/(?:script|style)>/g);
  return Array.from(texts, ([, text = ""]) => {
    return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  });
}
