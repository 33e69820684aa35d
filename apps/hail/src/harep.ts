/** Entry point of harep. */
import { harep } from "./harep/program.js";
import { main } from "./main.js";
import { runnerOf } from "./program.js";

main(runnerOf(harep));
