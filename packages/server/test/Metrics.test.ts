import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

const root = new URL("../../../", import.meta.url)

/** The names of the metrics that the sources of a package declare. */
const declared = (name: string): ReadonlyArray<string> => {
  const folder = new URL(`packages/${name}/src/`, root)
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))
  return files.flatMap((file) =>
    [...readFileSync(new URL(file, folder), "utf8").matchAll(/Metric\.(?:counter|gauge|histogram)\(\s*"(\w+)"/gu)].map(
      ([, metric = ""]) => metric
    )
  )
}

describe("the metrics", () => {
  it("the reference lists exactly the metrics that the sources declare", () => {
    const page = readFileSync(new URL("docs/reference/metrics.md", root), "utf8")
    const documented = [...page.matchAll(/^\| `([a-z]+_\w+)` \|/gmu)].map(([, metric = ""]) => metric)
    const packages = ["http", "server", "services", "store-postgres"]
    assert.deepStrictEqual(documented.toSorted(), packages.flatMap(declared).toSorted())
  })
})
