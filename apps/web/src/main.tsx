/** Start of the page. */
import { render } from "preact";
import { App } from "./app.js";
import { applyTheme, storedTheme } from "./theme.js";
import "./styles/page.css";
import "./styles/create.css";
import "./styles/console.css";

applyTheme(storedTheme());
render(<App />, document.getElementById("page") as HTMLElement);
