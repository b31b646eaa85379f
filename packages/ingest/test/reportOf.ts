/** Reports in fixtures, for tests. */
import { Ctrf, JUnit } from "@lazaret/ingest"
import { Result } from "effect"
import { readFileSync } from "node:fs"

/** The text of a fixture. */
export const textOf = (path: string) => readFileSync(new URL(`./fixtures/${path}`, import.meta.url), "utf8")

/** The report in a fixture. */
export const parsed = (path: string) => {
  const bytes = readFileSync(new URL(`./fixtures/${path}`, import.meta.url))
  return Result.getOrThrow(path.endsWith(".json") ? Ctrf.parse(bytes) : JUnit.parse(bytes))
}

/** Name, conclusion, `flaky` and reruns where there are any: what a reader of the fixture expects. */
export const summary = (path: string) =>
  parsed(path).cases.map((each) =>
    [each.testName, each.conclusion, each.flaky ? "flaky" : "", each.reruns === 0 ? "" : `${each.reruns} reruns`]
      .filter(Boolean)
      .join(" | ")
  )
