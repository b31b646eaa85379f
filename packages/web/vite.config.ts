/** How the dashboard is built: plain files with their content in their name, nothing inline, nothing from elsewhere. */
import { defineConfig } from "vite"

export default defineConfig({
  // The page names its base itself, so that the same files work below any path.
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "dist/site",
    assetsDir: "assets",
    target: "es2023",
    modulePreload: { polyfill: false },
    // A picture inside of a style sheet would be one that the policy of the page refuses.
    assetsInlineLimit: 0,
    reportCompressedSize: false
  },
  server: { proxy: { "/v1": "http://127.0.0.1:4180", "/session": "http://127.0.0.1:4180" } }
})
