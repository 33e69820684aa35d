/** The program. Nothing is loaded or set up here that the request does not need. */
import { runHail } from "./run-hail.js";
import { systemPorts } from "./system-ports.js";

// Everything is written by now; to wait for the engine to clean up would only take time.
runHail(process.argv.slice(2), systemPorts).then((exitCode) => process.exit(exitCode));
