/** Entry point of hinfo. */
import { hinfo } from "./hinfo/program.js";
import { main } from "./main.js";
import { runnerOf } from "./program.js";

main(runnerOf(hinfo));
