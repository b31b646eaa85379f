/** The browser of this machine: nothing is downloaded. */
import { existsSync } from "node:fs"

const places = [
  process.env["CHROMIUM_PATH"],
  // It draws no window, and takes two thirds of the processor time.
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
]

/** The path of Chromium; null when it is not installed. */
export const chromium = (): string | null => places.find((path) => path !== undefined && existsSync(path)) ?? null

/** The flags at the start: no window, no sandbox (continuous integration runs as root), and no request of its own. */
export const flags: ReadonlyArray<string> = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync"
]
