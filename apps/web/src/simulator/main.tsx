/** Start of the simulator. Its worker is a text in the page, because pages from files may not load workers. */

import workerCode from "virtual:worker";
import { render } from "preact";
import { applyTheme, storedTheme } from "../theme.js";
import { Engine } from "./engine.js";
import { Simulator } from "./simulator.js";

const workerUrl = URL.createObjectURL(new Blob([workerCode], { type: "text/javascript" }));

applyTheme(storedTheme());
const engine = new Engine(() => new Worker(workerUrl));
render(<Simulator engine={engine} />, document.getElementById("page") as HTMLElement);
