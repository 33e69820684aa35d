/** Entry point of hail. Loads only the modules that the request needs. */
import { hail } from "./hail/program.js";
import { main } from "./main.js";
import { runnerOf } from "./program.js";

main(runnerOf(hail));
