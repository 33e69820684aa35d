/** Entry point of hcheck. */
import { hcheck } from "./hcheck/program.js";
import { main } from "./main.js";
import { runnerOf } from "./program.js";

main(runnerOf(hcheck));
