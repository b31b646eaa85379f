/** Platforms that break one promise of a driven queue each, by the beginning of the sentence of the case that has to notice. */
import type { DriveForge, QueueForge } from "@lazaret/services"
import { Effect, Option } from "effect"

type Drive = DriveForge["Service"]
type Queue = QueueForge["Service"]

/** A platform with some of its answers changed. */
export interface Breakage {
  readonly drive?: (drive: Drive) => Partial<Drive>
  readonly queue?: (queue: Queue) => Partial<Queue>
}

type Built = Option.Option.Value<Effect.Success<ReturnType<Drive["build"]>>>

const building = (change: (built: Built, asked: Parameters<Drive["build"]>[1]) => Partial<Built>): Breakage => ({
  drive: (drive) => ({
    build: (ref, asked) =>
      Effect.map(
        drive.build(ref, asked),
        Option.map((built) => ({ ...built, ...change(built, asked) }))
      )
  })
})

const landing = (
  change: (landed: Effect.Success<ReturnType<Drive["land"]>>, to: string) => typeof landed
): Breakage => ({
  drive: (drive) => ({ land: (ref, move) => Effect.map(drive.land(ref, move), (landed) => change(landed, move.to)) })
})

/** The platforms. */
const all: Readonly<Record<string, Breakage>> = {
  "a branch is created once": {
    drive: (drive) => ({
      publish: (ref, branch) =>
        Effect.as(Effect.andThen(drive.discard(ref, branch.name), drive.publish(ref, branch)), true)
    })
  },
  "a batch is built member by member": {
    drive: (drive) => ({ build: (ref, asked) => drive.build(ref, { ...asked, members: asked.members.slice(0, 1) }) })
  },
  "a member that conflicts is left out": building(({ conflicts }) => ({ conflicts: conflicts.slice(1) })),
  "a member that is contained changes no tree": building(() => ({ contained: [] })),
  "squashed members have the trees of merged ones": building(({ steps }, { squash }) => ({
    steps: squash ? steps.map((step) => ({ ...step, tree: steps.at(-1)?.tree ?? "" })) : steps
  })),
  "a head on the tip of its base": building(({ steps }, { inPlace, members }) => ({
    steps: inPlace ? steps.map((step) => ({ ...step, commit: members[0]?.head ?? "" })) : steps
  })),
  "a commit that does not exist is not built on": {
    drive: (drive) => ({
      build: (ref, asked) =>
        Effect.map(drive.build(ref, asked), (built) =>
          Option.orElse(built, () => Option.some({ steps: [], conflicts: [], contained: [] }))
        )
    })
  },
  "landing moves the base branch once": {
    drive: (drive) => {
      const landed = new Set<string>()
      return {
        land: (ref, move) => {
          if (landed.has(move.to)) return Effect.succeed({ kind: "moved", what: "base" } as const)
          landed.add(move.to)
          return drive.land(ref, move)
        }
      }
    }
  },
  "a landing after somebody else's push changes nothing": landing((landed, to) =>
    landed.kind === "moved" ? { kind: "landed", sha: to, tree: "" } : landed
  ),
  "a landing never drops a commit": landing((_, to) => ({ kind: "landed", sha: to, tree: "" })),
  "a pull request whose head lands is merged": {
    queue: (queue) => ({
      pull: (ref, number) =>
        Effect.map(
          queue.pull(ref, number),
          Option.map((pull) => ({ ...pull, state: "open" as const }))
        )
    })
  },
  "a pull request is merged at its head alone": {
    drive: (drive) => ({
      merge: (ref, asked) =>
        Effect.map(drive.merge(ref, asked), (landed) =>
          landed.kind === "moved" ? ({ kind: "landed", sha: "", tree: "" } as const) : landed
        )
    })
  },
  "a pull request that was landed by another commit is closed": { drive: () => ({ close: () => Effect.void }) },
  "the message of a commit": {
    drive: (drive) => ({
      describe: (ref, number) =>
        Effect.map(drive.describe(ref, number), (found) =>
          Option.orElse(found, () =>
            Option.some({ number, reference: "#1", title: "", body: "", login: "", url: "", authors: [] })
          )
        )
    })
  },
  "a branch that is discarded twice": { drive: () => ({ discard: () => Effect.void }) }
}

/** The ports of a driven queue that a breakage changes. */
export interface Ports {
  readonly drive: Drive
  readonly queue: Queue
}

/** The ports of a platform that breaks the promise of a case. */
export const of = ({ drive, queue }: Ports, name: string): Ports => {
  const [, breakage] = Object.entries(all).find(([beginning]) => name.startsWith(beginning)) ?? []
  return { drive: { ...drive, ...breakage?.drive?.(drive) }, queue: { ...queue, ...breakage?.queue?.(queue) } }
}
