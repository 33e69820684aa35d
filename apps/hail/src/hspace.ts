/** Entry point of hspace. */
import { hspace } from "./hspace/program.js";
import { main } from "./main.js";
import { runnerOf } from "./program.js";

main(runnerOf(hspace));
