/** Writes a page to the file given with `--html`. */
import { onFile } from "../file-error.js";
import type { Ports } from "../ports.js";
import type { Settings } from "../settings.js";
import { type Page, pageText } from "./page.js";

/** Calls `makePage` only if a page was requested. */
export function writePage(makePage: () => Page, { html }: Settings, ports: Ports): void {
  if (html === undefined) return;
  onFile(html, () => ports.writeFile(html, pageText(makePage())));
  ports.stderr(`The page has been written to file '${html}'\n`);
}
