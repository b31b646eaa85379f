/** The check of what suites say about their number of tests against what they list. */
import * as Warnings from "./Warnings.ts"
import type { Attributes } from "./Xml.ts"

/** Counts the cases of nested suites and warns of those that say another number. */
export interface SuiteCount {
  /** A suite opens after `listed` cases. */
  readonly open: (attributes: Attributes, listed: number) => void
  /** The innermost suite closes after `listed` cases. */
  readonly close: (listed: number) => void
  /** Warns of the suites whose number is wrong, where `isRerun` says which listed cases are further attempts. */
  readonly conclude: (warnings: Warnings.Warnings, isRerun: (listed: number) => boolean) => void
}

/** Enough for every warning that is kept; a file of a million wrong suites must not fill the memory. */
const suspectsKept = 1000

interface Suite {
  readonly name: string
  readonly said: number
  /** The suites that opened before this one: a suite around another has less of them. */
  readonly order: number
  readonly start: number
  end: number
  /** How many suites are directly within, and how many cases those list. */
  suites: number
  inner: number
}

/**
 * Counts nothing yet.
 *
 * **Details**
 *
 * A number is right when it lies between the executions and the listed cases of the suite, because producers disagree
 * on whether reruns are tests. It is also right when it counts what is directly within, suites as one (node:test). Where an inner suite is wrong, the suites around it are not looked at. Catch2 counts
 * assertions (and is told by its host, `tbd`).
 */
export const make = (): SuiteCount => {
  const open: Array<Suite> = []
  const suspects: Array<Suite> = []
  let opened = 0
  return {
    open: (attributes, listed) => {
      const text = attributes["hostname"] === "tbd" ? "" : (attributes["tests"] ?? "")
      const said = /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : Number.NaN
      open.push({
        name: attributes["name"] ?? "",
        said,
        order: opened,
        start: listed,
        end: listed,
        suites: 0,
        inner: 0
      })
      opened += 1
    },
    close: (listed) => {
      const suite = open.pop()
      if (suite === undefined) return
      const cases = listed - suite.start
      const outer = open.at(-1)
      if (outer !== undefined) {
        outer.suites += 1
        outer.inner += cases
      }
      if (Number.isNaN(suite.said) || suite.said === cases || suite.said === cases - suite.inner + suite.suites) return
      if (suspects.length >= suspectsKept) return
      suite.end = listed
      suspects.push({ ...suite, name: Warnings.quoted(suite.name) })
    },
    conclude: (warnings, isRerun) => {
      let last: Suite | undefined
      for (const suite of suspects) {
        const listed = suite.end - suite.start
        const holdsLast = last !== undefined && suite.order < last.order
        if (holdsLast || (suite.said < listed && suite.said >= listed - reruns(suite, isRerun))) continue
        warnings.add(`The suite ${suite.name} says ${suite.said} tests and lists ${listed}: counted is what is listed.`)
        last = suite
      }
    }
  }
}

const reruns = (suite: Suite, isRerun: (listed: number) => boolean): number => {
  let count = 0
  for (let index = suite.start; index < suite.end; index++) if (isRerun(index)) count += 1
  return count
}
