/** All programs in one: which it is tells the environment variable HTOOLS, the name it has, or its first word. */
import { main } from "./main.js";
import { personality } from "./personality.js";

const { run, argv } = personality(process.argv.slice(1), process.env.HTOOLS);
main(run, argv);
