/** A terminal of 80 columns without colours. */
import type { Terminal } from "../src/invocation.js";

export const aTerminal = (columns = 80): Terminal => ({
  columns,
  rows: 24,
  colour: false,
  reflows: true,
  onResize: () => () => {},
  onResume: () => () => {},
});
