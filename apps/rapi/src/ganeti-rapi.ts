#!/usr/bin/env -S node --v8-pool-size=1
/**
 * The server as a program. Its first line limits V8 to one helper thread for compilation and garbage collection: with the
 * default of four, the main thread of a machine with two cores gets half a core while its code is compiled.
 */
import { growAsUsual } from "./small-start.js";

// Loaded after small-start has limited the memory that loading takes.
const { main } = await import("./main.js");

growAsUsual();
const code = await main();
// After a refusal, open handles would keep the process alive.
if (code === 0) process.exitCode = 0;
else process.exit(code);
