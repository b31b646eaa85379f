/** A hosting platform with a queue and a CI of its own clock, moved minute by minute, for the stories of a gate. */
import type { FailureClass, Observation } from "@lazaret/queue"
import type { Removal } from "@lazaret/services"
import { QueueStore } from "@lazaret/store"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { noon, ref } from "../builders.ts"
import { start } from "./service.ts"
import * as Platform from "./simpleQueue.ts"

/**
 * A pull request: how its required job ends in each attempt, and whether it should be merged.
 *
 * **Details**
 *
 * - `ends`: by attempt, the last for all further ones. `of`: what the failures are judged to be.
 * - `minutes`: how long the job takes. `after`: when it starts, counted from the start of its workflow run; it has no check
 *   before. `beside`: how long another job of the run takes: only then can failed jobs run again. `lost`: how many of its groups
 *   get no run. `conflictsAfter`: minutes from the beginning until it conflicts; `isUnsure`: only its entry says so.
 */
export interface Pull {
  readonly ends?: ReadonlyArray<Observation.Check["state"]>
  readonly of?: FailureClass.FailureClass
  readonly isBad?: boolean
  readonly minutes?: number
  readonly after?: number
  readonly beside?: number
  readonly lost?: number
  readonly conflictsAfter?: number
  readonly isUnsure?: boolean
}

/** The rules of the platform; times in minutes. */
export interface Rules {
  readonly timeout: number
  readonly minimum: number
  readonly isHeadGreen: boolean
  /** How far the clock of the platform is behind. */
  readonly lag: number
}

interface Run {
  readonly number: number
  attempt: number
  startedAt: number
  readonly builtAt: number
  readonly isLost: boolean
}

const minute = 60_000

/** A started gate over a world. */
export const begin = Effect.fnUntraced(function* (pulls: Readonly<Record<number, Pull>>, rules: Rules, file: string) {
  const service = yield* start(file)
  const { judged, platform, round, run } = service
  platform.rules.splice(1, 1, { kind: "merge_queue", timeout: rules.timeout * minute })
  const runs = new Map<string, Run>()
  const lost = new Map<number, number>()
  const onto = new Map<string, ReadonlyArray<number>>()
  const merged: Array<number> = []
  const removed: Array<readonly [number, Removal["reason"]]> = []
  const world = { hasJobs: true, isDelivered: true, isServed: true }
  let built = 0

  const planOf = (number: number): Required<Pull> => ({
    ends: ["success"],
    of: "real",
    isBad: false,
    minutes: 3,
    after: 0,
    beside: 0,
    lost: 0,
    conflictsAfter: Infinity,
    isUnsure: false,
    ...pulls[number]
  })

  const phaseOf = ({ attempt, number, startedAt }: Run, now: number) => {
    const { after, beside, ends, minutes } = planOf(number)
    const appears = startedAt + after * minute
    const isEnded = now >= appears + minutes * minute
    return {
      hasCheck: now >= appears,
      state: isEnded ? (ends[Math.min(attempt, ends.length) - 1] ?? "success") : ("pending" as const),
      isRunning: !isEnded || now < startedAt + beside * minute
    }
  }

  platform.rerun = (sha) => {
    const known = runs.get(sha)
    if (known === undefined) return "none"
    if (platform.running.has(sha)) return "running"
    runs.set(sha, { ...known, attempt: known.attempt + 1, startedAt: known.startedAt + Infinity })
    return "started"
  }

  /** A group that stands on what was taken out is built again. */
  const rebuild = (): void => {
    for (const [index, entry] of platform.entries.entries()) {
      const standsOn = onto.get(entry.group?.id ?? "") ?? []
      if (standsOn.every((number) => merged.includes(number) || numbersUpTo(index).includes(number))) continue
      platform.entries[index] = { ...entry, group: null }
    }
  }

  const numbersUpTo = (index: number) => platform.entries.slice(0, index + 1).map(({ number }) => number)

  const began = yield* Clock.currentTimeMillis

  /** A pull request that conflicts loses its group, and keeps its entry, which holds up those behind. */
  const conflict = (now: number): void => {
    for (const [index, entry] of platform.entries.entries()) {
      const { conflictsAfter, isUnsure } = planOf(entry.number)
      const pull = platform.pulls.get(entry.number)
      const isUnmergeable = now - began >= conflictsAfter * minute
      if (!isUnmergeable || pull === undefined) continue
      if (!isUnsure) platform.pulls.set(entry.number, { ...pull, mergeable: false })
      platform.entries[index] = { ...entry, group: null, isUnmergeable }
    }
  }

  /** Groups are built for whatever has none, one on the other. */
  const build = (now: number): void => {
    for (const { group, isUnmergeable, number } of platform.entries) {
      if (isUnmergeable === true) break
      if (group !== null) continue
      built += 1
      const id = `g${number}.${built}`
      const ahead = platform.entries.slice(0, platform.entries.findIndex((entry) => entry.number === number) + 1)
      const content = [...new Set([...merged, ...ahead.map((entry) => entry.number)])].toSorted()
      Platform.build(platform, number, id, `tree of ${content.join()}`)
      onto.set(id, content)
      const left = lost.get(number) ?? planOf(number).lost
      lost.set(number, left - 1)
      runs.set(id, { number, attempt: 1, startedAt: now, builtAt: now, isLost: left > 0 })
    }
  }

  /** CI goes on; one that was asked to run again starts now. */
  const work = (now: number): void => {
    for (const [sha, known] of runs) {
      if (known.isLost) continue
      if (known.startedAt === Infinity) known.startedAt = now
      const { hasCheck, isRunning, state } = phaseOf(known, now)
      if (isRunning && world.hasJobs) platform.running.add(sha)
      else platform.running.delete(sha)
      if (!world.hasJobs || !hasCheck) continue
      Platform.check(platform, sha, state, known.attempt)
      const failure = { check: "unit", test: `of #${known.number}`, class: planOf(known.number).of, probability: 0.5 }
      if (state === "failure") judged.set(sha, { attempt: known.attempt, failures: [failure] })
    }
  }

  const remove = (number: number, reason: Removal["reason"], now: number, by: string | null = null): void => {
    removed.push([number, reason])
    const index = platform.entries.findIndex((entry) => entry.number === number)
    const behind = platform.entries.slice(index + 1)
    Platform.evict(platform, number)
    for (const entry of behind) {
      const at = platform.entries.indexOf(entry)
      platform.entries[at] = { ...entry, group: null }
    }
    const pull = platform.pulls.get(number)
    const removal = { at: now - rules.lag * minute, reason, by }
    if (pull !== undefined) platform.pulls.set(number, { ...pull, removal })
  }

  const land = (count: number): void => {
    for (const { group, number } of platform.entries.slice(0, count)) {
      merged.push(number)
      Platform.land(platform, number, group?.tree ?? "none")
    }
  }

  /** The platform merges from the front, and removes what failed or was silent for too long. */
  const decide = (now: number): void => {
    const conclusion = (sha: string | undefined) => platform.reports.get(sha ?? "")?.conclusion ?? null
    const failed = platform.entries.find(({ group }) => conclusion(group?.id) === "failure")
    if (failed !== undefined) remove(failed.number, "ci_failure", now)
    const isGreen = platform.entries.map(({ group }) => conclusion(group?.id) === "success")
    const green = rules.isHeadGreen ? isGreen.lastIndexOf(true) + 1 : [...isGreen, false].indexOf(false)
    if (green >= rules.minimum) land(green)
    const silent = platform.entries.find(({ group }) => {
      const since = runs.get(group?.id ?? "")?.builtAt ?? now
      return conclusion(group?.id) === null && now - since >= rules.timeout * minute
    })
    if (silent !== undefined) remove(silent.number, "ci_timeout", now)
  }

  const pass = (count: number) =>
    Effect.repeat(
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        decide(now)
        conflict(now)
        rebuild()
        build(now)
        work(now)
        if (world.isDelivered) yield* Effect.ignore(service.look)
        yield* TestClock.adjust("58 seconds")
        if (world.isServed) yield* round
      }),
      { times: count - 1 }
    )

  const enter = (...numbers: ReadonlyArray<number>): void => {
    for (const number of numbers) Platform.join(platform, number)
  }

  const configure = (text: string) => run(QueueStore.use((store) => store.setConfiguration(ref, text, noon)))

  const now = Clock.currentTimeMillis
  return { ...service, world, merged, removed, pass, enter, remove, configure, planOf, now }
})

/** A story that has begun. */
export type World = Effect.Success<ReturnType<typeof begin>>
