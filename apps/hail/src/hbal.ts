/** Entry point of hbal. */
import { hbal } from "./hbal/program.js";
import { main } from "./main.js";
import { runnerOf } from "./program.js";

main(runnerOf(hbal));
