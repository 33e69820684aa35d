/** Entry point of hsqueeze. */
import { hsqueeze } from "./hsqueeze/program.js";
import { main } from "./main.js";
import { runnerOf } from "./program.js";

main(runnerOf(hsqueeze));
