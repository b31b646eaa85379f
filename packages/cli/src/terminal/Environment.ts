/** The environment of the command. */
import { ConfigProvider, Effect } from "effect"

/** The text of a variable; null when it is not set, or blank. */
export const variable = (name: string): Effect.Effect<string | null> =>
  Effect.flatMap(ConfigProvider.ConfigProvider, (provider) => provider.load([name])).pipe(
    Effect.map((node) => (node?.value === undefined || node.value.trim() === "" ? null : node.value)),
    Effect.orElseSucceed(() => null)
  )
