/**
 * `npm ci` and `npm start` run this script: it builds the dashboard, `lazaret.mjs` and the server's bundle at the same time, each
 * only when its sources changed. Without the tools that build (`npm ci --omit=dev`) it builds nothing.
 */
await Promise.all(["web", "cli", "server"].map((name) => import(`../../${name}/build.ts`)))
