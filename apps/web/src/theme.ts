/** Colour theme: light, dark, or that of the system; stored in this browser. */

export type Theme = "auto" | "light" | "dark";
const key = "ganeti-theme";

export function storedTheme(): Theme {
  const stored = localStorage.getItem(key);
  return stored === "light" || stored === "dark" ? stored : "auto";
}

export function applyTheme(theme: Theme): void {
  if (theme === "auto") localStorage.removeItem(key);
  else localStorage.setItem(key, theme);
  document.documentElement.dataset.theme = theme;
}
