#!/usr/bin/env -S node --max-semi-space-size=32
/**
 * The server as a program. With twice the usual space for new objects, the data of jobs that run at the same time is copied
 * less often.
 */
import { growAsUsual } from "./small-start.js";

// The modules come after the setting that small-start makes: it is about memory that loading takes.
const { main } = await import("./main.js");

growAsUsual();
const code = await main();
// Open handles would keep the process alive after a refusal.
if (code === 0) process.exitCode = 0;
else process.exit(code);
