/** A plugin of esbuild: the schema library has messages in fifty languages, and English is enough in programs. */
export const english = {
  name: "english",
  setup: ({ onLoad }) => {
    onLoad({ filter: /zod.v4.locales.index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
    }));
  },
};
