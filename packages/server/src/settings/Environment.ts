/** The environment: the value of one variable, and the names of those that are set. */
import { ConfigProvider, Effect } from "effect"

/** The text of a variable of the environment; null when it is not set, or set to nothing. */
export const variable = (name: string): Effect.Effect<string | null> =>
  Effect.map(Effect.flatMap(ConfigProvider.ConfigProvider, valueAt([name])), (text) =>
    text === undefined || text.trim() === "" ? null : text
  )

/** The names of all variables whose names begin with a word and an underscore, such as `LAZARET`, and are not empty. */
export const namesUnder = Effect.fnUntraced(function* (word: string) {
  const provider = yield* ConfigProvider.ConfigProvider
  const names: Array<string> = []
  const paths = [[word]]
  for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
    const node = yield* nodeAt(path)(provider)
    if (node === undefined) continue
    if (path.length > 1 && node.value !== undefined) names.push(path.join("_"))
    for (const key of node.keys) paths.push([...path, key])
  }
  return names.toSorted()
})

interface Node {
  readonly value: string | undefined
  readonly keys: Iterable<string>
}

/** A provider of configuration sees words that are joined by `_`; an environment has no numbered lists. */
const nodeAt =
  (path: ReadonlyArray<string>) =>
  (provider: ConfigProvider.ConfigProvider): Effect.Effect<Node | undefined> =>
    provider.load(path).pipe(
      Effect.map((node) => {
        if (node === undefined) return undefined
        if (node._tag === "Array") {
          return { value: node.value, keys: Array.from({ length: node.length }, (_, index) => String(index)) }
        }
        return { value: node.value, keys: node._tag === "Record" ? node.keys : [] }
      }),
      Effect.orElseSucceed(() => undefined)
    )

const valueAt = (path: ReadonlyArray<string>) => (provider: ConfigProvider.ConfigProvider) =>
  Effect.map(nodeAt(path)(provider), (node) => node?.value)
