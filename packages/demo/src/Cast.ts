/** The tests of the demonstration: what they are called, where they run, and which part each of them plays. */
import * as Dice from "./Dice.ts"
import * as Script from "./Script.ts"

/** The kinds of test, each written by another test framework. */
export type Kind = "unit" | "integration" | "browser"

/**
 * The part a test plays; days count from today's midnight (UTC) backwards, so that 3 is three days ago.
 *
 * **Details**
 *
 * - `flaky` fails with this probability, whatever the commit, until a day (0: to this day).
 * - `rerun` fails at first and passes when the job runs it again, with this probability.
 * - `broken` fails from a day on; `fixed` fails from one day to another.
 * - `new` appears on a day; `retired` disappears on one. `slower` takes four times as long from a day on.
 */
export type Part =
  | { readonly _tag: "steady" }
  | { readonly _tag: "skipped" }
  | { readonly _tag: "flaky"; readonly rate: number; readonly until: number; readonly onlyInFirefox: boolean }
  | { readonly _tag: "rerun"; readonly rate: number }
  | { readonly _tag: "broken"; readonly from: number }
  | { readonly _tag: "fixed"; readonly from: number; readonly until: number }
  | { readonly _tag: "new"; readonly from: number }
  | { readonly _tag: "retired"; readonly until: number }
  | { readonly _tag: "slower"; readonly from: number }

/**
 * A test: how its framework writes it, how long it takes, and its part.
 *
 * `index` tells tests apart; tests of one `file` are run again together.
 */
export interface Member {
  readonly index: number
  readonly kind: Kind
  readonly area: string
  readonly file: string
  readonly classname: string
  readonly name: string
  readonly seconds: number
  readonly part: Part
}

/** The size of a demonstration; everything in it is made from these values and nothing else. */
export interface Size {
  readonly seed: number
  readonly days: number
  readonly tests: number
}

/** The fewest days and tests with which every part is played. */
export const smallest = { days: 14, tests: 50 }

/** The tests of a demonstration: 70 % unit, 22 % integration and 8 % browser tests, every part played at least once. */
export const make = ({ days, seed, tests }: Size): ReadonlyArray<Member> => {
  const members = Array.from({ length: tests }, (_, index) => unassigned(seed, index))
  const parts = new Map<number, Part>()
  const shuffled = members.toSorted((a, b) => Dice.roll(seed, 1, a.index) - Dice.roll(seed, 1, b.index))
  for (const [number, { kind, part, share }] of casting.entries()) {
    const wanted = Math.max(1, Math.round(share * tests))
    const free = shuffled.filter((each) => !parts.has(each.index) && (kind === null || each.kind === kind))
    for (const member of free.slice(0, wanted)) {
      const roll: Roll = (...keys) => Dice.roll(seed, 2, number, member.index, ...keys)
      parts.set(member.index, part(roll, days, member.kind))
    }
  }
  return members.map((each) => ({ ...each, part: parts.get(each.index) ?? { _tag: "steady" } }))
}

type Roll = (...keys: ReadonlyArray<number>) => number

interface Casting {
  readonly share: number
  readonly kind: Kind | null
  readonly part: (roll: Roll, days: number, kind: Kind) => Part
}

const choose = <A>(roll: Roll, from: readonly [A, ...ReadonlyArray<A>]): A =>
  from[Math.floor(roll() * from.length)] ?? from[0]

const flaky = (roll: Roll, kind: Kind, until: number): Part => ({
  _tag: "flaky",
  rate: 0.08 + 0.22 * roll(),
  until,
  onlyInFirefox: kind === "browser" && roll(1) < 0.5
})

/** Something broke and was repaired: always within the last days, in a long history also before. */
const fixed = (roll: Roll, days: number): Part => {
  const recent = { from: 9, until: 8 }
  const long =
    days < 50
      ? []
      : [
          { from: 18, until: 16 },
          { from: 33, until: 32 },
          { from: 47, until: 44 }
        ]
  return { _tag: "fixed", ...choose(roll, [recent, ...long]) }
}

const casting: ReadonlyArray<Casting> = [
  { share: 0.012, kind: "unit", part: (roll, _, kind) => flaky(roll, kind, 0) },
  { share: 0.004, kind: "browser", part: (roll, _, kind) => flaky(roll, kind, 0) },
  { share: 0.004, kind: null, part: (roll, days, kind) => flaky(roll, kind, days / 3) },
  { share: 0.006, kind: "integration", part: (roll) => ({ _tag: "rerun", rate: 0.1 + 0.15 * roll() }) },
  { share: 0.006, kind: null, part: (roll) => ({ _tag: "broken", from: choose(roll, [2, 4, 6]) }) },
  { share: 0.01, kind: null, part: fixed },
  { share: 0.01, kind: null, part: (roll) => ({ _tag: "new", from: choose(roll, [1, 3, 5]) }) },
  { share: 0.01, kind: null, part: (_, days) => ({ _tag: "retired", until: 0.6 * days }) },
  { share: 0.008, kind: null, part: () => ({ _tag: "skipped" }) },
  { share: 0.001, kind: "integration", part: () => ({ _tag: "slower", from: 7 }) }
]

const unassigned = (seed: number, index: number): Member => {
  // Of 50 tests in a row 35 are unit tests, 11 integration tests and 4 browser tests.
  const place = (index * 27) % 50
  const kind = place < 35 ? "unit" : place < 46 ? "integration" : "browser"
  const area = Script.areas[Math.floor(index / 50) % Script.areas.length] ?? Script.areas[0]
  const round = Math.floor(index / (50 * Script.areas.length))
  const subject = area.subjects[round % area.subjects.length] ?? area.subjects[0]
  const variant = Math.floor(round / area.subjects.length)
  const seconds = slowness[kind] * (0.2 + 1.8 * Dice.roll(seed, 3, index) ** 3)
  return { index, kind, area: area.name, ...written(kind, area.name, subject, place, variant), seconds, part: steady }
}

const steady: Part = { _tag: "steady" }

const slowness = { unit: 0.04, integration: 0.6, browser: 6 } as const

const written = (kind: Kind, area: string, subject: string, place: number, variant: number) => {
  const more = variant === 0 ? "" : `${variant + 1}`
  if (kind === "unit") {
    const stem = `test_${subject}${more === "" ? "" : `_${more}`}`
    const name = `test_${Script.unitBehaviours[place % Script.unitBehaviours.length] ?? place}`
    return { file: `tests/${area}/${stem}.py`, classname: `tests.${area}.${stem}`, name }
  }
  if (kind === "integration") {
    const name = Script.integrationBehaviours[place % Script.integrationBehaviours.length] ?? `case${place}`
    const classname = `com.acme.widgets.${area}.${capitalised(subject)}${more}IT`
    return { file: classname, classname, name }
  }
  const file = `e2e/${area}/${subject}${more}.spec.ts`
  const behaviour = Script.browserBehaviours[place % Script.browserBehaviours.length] ?? `case ${place}`
  return { file, classname: file, name: `${area} › ${subject}${more} › ${behaviour}` }
}

const capitalised = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)
