#!/usr/bin/env node
/** The server as a program. */
import { growAsUsual } from "./small-start.js";

// The modules come after the setting that small-start makes: it is about memory that loading takes.
const { main } = await import("./main.js");

growAsUsual();
const code = await main();
// Open handles would keep the process alive after a refusal.
if (code === 0) process.exitCode = 0;
else process.exit(code);
