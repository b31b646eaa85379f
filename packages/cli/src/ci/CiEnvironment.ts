/** The CI run that a command is part of. */
import { Effect, FileSystem, Option, Schema } from "effect"
import * as Environment from "../terminal/Environment.ts"
import * as CiRun from "./CiRun.ts"

/** The run that the environment describes; null outside of the known CI systems. */
export const current: Effect.Effect<CiRun.CiRun | null, never, FileSystem.FileSystem> = Effect.gen(function* () {
  const names = CiRun.systems.flatMap(({ sign, variables }) => [sign, ...variables])
  const values = new Map<string, string | null>()
  for (const name of names) values.set(name, yield* Environment.variable(name))
  const path = values.get("GITHUB_EVENT_PATH") ?? null
  return CiRun.of((name) => values.get(name) ?? null, path === null ? null : yield* contentOf(path))
})

const contentOf = (path: string) =>
  Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(path)).pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))),
    Effect.option,
    Effect.map(Option.getOrNull)
  )
