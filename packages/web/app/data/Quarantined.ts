/** The mark of quarantined tests, which several pages set. */
import { useEffect, useState } from "preact/hooks"
import type * as Places from "../Places.ts"
import * as Fetch from "./Fetch.ts"
import * as Routes from "./Routes.ts"

/** The names among these that are quarantined, on any branch: none until it is known. */
export const useQuarantined = (repository: Places.Repository, names: ReadonlyArray<string>): ReadonlySet<string> => {
  const [found, setFound] = useState<ReadonlySet<string>>(new Set())
  const key = names.join("\0")
  useEffect(() => {
    let isCurrent = true
    if (names.length === 0) return undefined
    const mark = async () => {
      const body = { tests_names: [...new Set(names)] }
      const answer = await Fetch.send("POST", Routes.checkQuarantines(repository), body)
      // Without an answer there are no marks: the list is of use all the same.
      if (isCurrent && !Fetch.isFailure(answer)) setFound(new Set(answer.body.quarantined_tests_names))
    }
    void mark()
    return () => {
      isCurrent = false
    }
  }, [key])
  return found
}
