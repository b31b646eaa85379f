/** The commits among which a test or a cause began to fail, as text. */
import type { Schemas } from "@lazaret/api"
import { plain } from "../../terminal/Terminal.ts"

/** The answer in lines: the sentence, then the commits of each level with their address. */
export const linesOf = ({ intervals, sentence }: typeof Schemas.FoundChange.Type): ReadonlyArray<string> => [
  plain(sentence),
  ...intervals.map(
    ({ after, commits, last, level, url }) =>
      `${level * 100} %: ${commits} ${commits === 1 ? "commit" : "commits"}, ${url === null ? rangeOf(after, last) : plain(url)}`
  )
]

const rangeOf = (after: string | null, last: string): string =>
  after === null ? `${short(last)} or before` : `${short(after)}...${short(last)}`

const short = (commit: string): string => plain(commit).slice(0, 12)

/** The fields of a body that other fields are added to. */
export const asObject = (body: unknown): object => (typeof body === "object" && body !== null ? body : {})
