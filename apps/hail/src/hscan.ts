/** Entry point of hscan. */
import { hscan } from "./hscan/program.js";
import { main } from "./main.js";
import { runnerOf } from "./program.js";

main(runnerOf(hscan));
