/** Entry point of hroller. */
import { hroller } from "./hroller/program.js";
import { main } from "./main.js";
import { runnerOf } from "./program.js";

main(runnerOf(hroller));
