/**
 * Switches: a source that holds all its mutants, of which at most one is on while it runs.
 *
 * **Details**
 *
 * Each place that a mutant changes asks `mutantIsOn(id)` whether to run as it is or with the change. So one
 * run of the tests learns which mutants each test reaches, and tries them without loading the source again.
 */
import type { Mutant, Site } from "./Mutant.ts"

/** A mutant with the number that switches it on. */
export interface Numbered {
  readonly id: number
  readonly mutant: Mutant
}

/** The beginning of a source with switches: the question is a constant, so that it costs little. */
export const prefix = "const mutantIsOn = globalThis.mutantIsOn ?? (() => false); "

/** The text of a source with a switch for each of its mutants, which must be all of them. */
export const install = (text: string, mutants: ReadonlyArray<Numbered>): string =>
  rendered(text, 0, text.length, placesOf(mutants))

interface Place extends Site {
  readonly mutants: ReadonlyArray<Numbered>
}

/** The places of the mutants; an outer one comes before those inside it, and a statement before its expression. */
const placesOf = (all: ReadonlyArray<Numbered>): ReadonlyArray<Place> => {
  const places = Map.groupBy(all, ({ mutant: { site } }) => `${site.kind} ${site.start} ${site.end}`)
  return [...places.values()]
    .flatMap((mutants) => mutants.slice(0, 1).map(({ mutant }) => ({ ...mutant.site, mutants })))
    .toSorted((a, b) => a.start - b.start || b.end - a.end || Number(isStatement(b)) - Number(isStatement(a)))
}

const isStatement = ({ kind }: Site): boolean => kind === "statement"

const rendered = (text: string, from: number, to: number, places: ReadonlyArray<Place>): string => {
  const [place] = places
  if (place === undefined) return text.slice(from, to)
  const inside = places.slice(1).filter(({ start }) => start < place.end)
  const after = places.slice(1 + inside.length)
  const own = rendered(text, place.start, place.end, inside)
  return text.slice(from, place.start) + switched(text, place, own) + rendered(text, place.end, to, after)
}

const isOn = (id: number): string => `mutantIsOn(${id})`

/** The place with its switches; `own` is its text, in which the places inside it have theirs. */
const switched = (text: string, { end, kind, mutants, start }: Place, own: string): string => {
  const changed = ({ from, replacement, to }: Mutant) => text.slice(start, from) + replacement + text.slice(to, end)
  const choice = (alternative: (mutant: Mutant) => string, otherwise: string) =>
    mutants.reduceRight((rest, { id, mutant }) => `(${isOn(id)} ? (${alternative(mutant)}) : ${rest})`, otherwise)
  switch (kind) {
    case "expression":
      return choice(changed, `(${own})`)
    case "key":
      return `[${choice(changed, own)}]`
    case "statement":
      return `{ if (!(${mutants.map(({ id }) => isOn(id)).join(" || ")})) { ${own} } }`
    case "property": {
      const [, dot = "", original = ""] = /^([^]*?)\.?\s*(\w+)$/.exec(own) ?? []
      return `${dot.endsWith("?") ? `${dot}.` : dot}[${choice(({ replacement }) => `"${replacement}"`, `"${original}"`)}]`
    }
  }
}
