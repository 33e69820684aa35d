/** Prints the manual page of ganeti-rapi; used by the build. */
import { manualPage } from "./program/manual.js";
import { usage } from "./program/usage.js";

process.stdout.write(manualPage(usage, process.env.npm_package_version ?? ""));
