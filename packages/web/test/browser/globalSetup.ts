/** The setup that all browser tests share: a server with an invented history, and one browser. */
import { chromium as playwright } from "playwright-core"
import type { TestProject } from "vitest/node"
import { flags } from "./chromium.ts"
import * as Invented from "./invented.ts"

declare module "vitest" {
  export interface ProvidedContext {
    readonly url: string
    readonly key: string
    readonly signInLink: string
    readonly browser: string
  }
}

export default async (project: TestProject): Promise<() => Promise<void>> => {
  // One owner's repository has a history; the other has one upload, so that pages with little are seen too.
  const server = await Invented.start(["--tests", "300", "--days", "30"])
  const browser = await playwright.launchServer({ executablePath: server.browser, args: [...flags] })
  project.provide("url", server.url)
  project.provide("key", server.key)
  project.provide("signInLink", server.link)
  project.provide("browser", browser.wsEndpoint())
  return async () => {
    await browser.close()
    await server.stop()
  }
}
