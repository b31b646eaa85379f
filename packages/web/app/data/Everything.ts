/** Lists that are short enough to be held whole: filtered and selected without asking again. */
import { useCallback, useEffect, useState } from "preact/hooks"
import type { Operations } from "@lazaret/api"
import * as Fetch from "./Fetch.ts"
import type { Resource } from "./Resource.ts"
import type { Path } from "./Routes.ts"

/** The rows, and whether there are more than are held. */
export interface Everything<Row> {
  readonly rows: ReadonlyArray<Row>
  readonly isComplete: boolean
}

const mostPages = 10

/** The same operation at another place of its list. */
const withCursor = <Op extends Fetch.Reading>(path: Path<Op>, cursor: string) =>
  `${path}&cursor=${encodeURIComponent(cursor)}` as Path<Op>

const collect = async <Op extends Fetch.Reading, Row>(
  path: Path<Op>,
  rowsOf: (page: Operations[Op]["response"]) => ReadonlyArray<Row>
): Promise<Fetch.Answer<Everything<Row>> | Fetch.Failure> => {
  const rows: Array<Row> = []
  let cursor = ""
  for (let page = 0; page < mostPages; page++) {
    const answer = await Fetch.get(cursor === "" ? path : withCursor(path, cursor))
    if (Fetch.isFailure(answer)) return answer
    rows.push(...rowsOf(answer.body))
    cursor = answer.cursors["next"] ?? ""
    if (cursor === "") break
  }
  return { body: { rows, isComplete: cursor === "" }, cursors: {} }
}

/** All rows of a list, page after page, and a way to ask again. `path` holds `per_page`. */
export const useEverything = <Op extends Fetch.Reading, Row>(
  path: Path<Op>,
  rowsOf: (page: Operations[Op]["response"]) => ReadonlyArray<Row>
) => {
  const [resource, setResource] = useState<Resource<Everything<Row>>>({ status: "loading" })
  const reload = useCallback(async (): Promise<void> => {
    const answer = await collect(path, rowsOf)
    setResource(
      Fetch.isFailure(answer)
        ? { status: "failed", failure: answer, retry: () => void reload() }
        : { status: "ready", answer, isStale: false }
    )
  }, [path])
  useEffect(() => {
    void reload()
  }, [reload])
  return { resource, reload }
}
