/** The program hail. Nothing is loaded or set up here that the request does not need. */
import { hail } from "./hail/program.js";
import { main } from "./main.js";
import { runnerOf } from "./program.js";

main(runnerOf(hail));
