/** Below which path this dashboard lives: "/" unless a proxy adds something. Always ends with a slash. */
export const base: string = new URL(document.baseURI).pathname
