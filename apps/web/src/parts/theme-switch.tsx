/** Choice of the theme. */
import { useState } from "preact/hooks";
import { applyTheme, storedTheme, type Theme } from "../theme.js";

/** `auto`: the text for the system's theme. */
export function ThemeSwitch({ auto }: { readonly auto: string }) {
  const [theme, setTheme] = useState(storedTheme());
  const change = (event: Event) => {
    const next = (event.currentTarget as HTMLSelectElement).value as Theme;
    applyTheme(next);
    setTheme(next);
  };
  return (
    <select aria-label="Theme" class="quiet" value={theme} onChange={change}>
      <option value="auto">{auto}</option>
      <option value="light">Light</option>
      <option value="dark">Dark</option>
    </select>
  );
}
