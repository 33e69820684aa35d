#!/usr/bin/env -S node --v8-pool-size=1
/**
 * The server as a program. Its first line keeps V8 to one thread beside the main one for compiling and collecting garbage:
 * with the usual four, a machine of two cores leaves the main thread half of one while its code is compiled.
 */
import { growAsUsual } from "./small-start.js";

// The modules come after the setting that small-start makes: it is about memory that loading takes.
const { main } = await import("./main.js");

growAsUsual();
const code = await main();
// Open handles would keep the process alive after a refusal.
if (code === 0) process.exitCode = 0;
else process.exit(code);
