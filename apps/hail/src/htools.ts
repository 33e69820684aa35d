/**
 * Entry point of the multi-call executable: the environment variable HTOOLS, its file name or its first word
 * selects the program.
 */
import { main } from "./main.js";
import { personality } from "./personality.js";

const { run, argv } = personality(process.argv.slice(1), process.env.HTOOLS);
main(run, argv);
