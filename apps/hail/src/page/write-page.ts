/** Puts a page where the command line says (`--html`). */
import { onFile } from "../file-error.js";
import type { Ports } from "../ports.js";
import type { Settings } from "../settings.js";
import { type Page, pageText } from "./page.js";

/** Makes the page only if one is wanted. */
export function writePage(makePage: () => Page, { html }: Settings, ports: Ports): void {
  if (html === undefined) return;
  onFile(html, () => ports.writeFile(html, pageText(makePage())));
  ports.stderr(`The page has been written to file '${html}'\n`);
}
