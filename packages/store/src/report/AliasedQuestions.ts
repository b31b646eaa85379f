/** Questions that name tests, over a driver: the name of a report is answered as the name that stands for it. */
import { Glob, NameSearch, type Repository, TestAlias, TestFilter } from "@lazaret/domain"
import { Effect } from "effect"
import type { Driver } from "../Driver.ts"
import * as Aliases from "./Aliases.ts"

/**
 * A driver whose questions with names of tests know their aliases.
 *
 * **Details**
 *
 * - Lists and searches find a test by its other names, too, where they search by names at all.
 * - The facts on failures that nobody has reported yet keep the names that were asked for.
 */
export const over = (driver: Driver["Service"]): Driver["Service"] => {
  const names = (operation: string, ref: Repository.RepositoryRef) =>
    driver.read(operation, ref, (view) => Aliases.namesIn(view))
  return {
    ...driver,
    tests: {
      ...driver.tests,
      page: (ref, query) =>
        isNamed(query.filter)
          ? Effect.flatMap(names("TestStore.page", ref), (found) =>
              driver.tests.page(ref, { ...query, filter: filterOf(query.filter, found) })
            )
          : driver.tests.page(ref, query),
      count: (ref, query) =>
        isNamed(query.filter)
          ? Effect.flatMap(names("TestStore.count", ref), (found) =>
              driver.tests.count(ref, { ...query, filter: filterOf(query.filter, found) })
            )
          : driver.tests.count(ref, query),
      list: (ref, query, now) => {
        const { filter } = query
        if (filter.search.trim() === "" && !isNamed(filter.match)) return driver.tests.list(ref, query, now)
        return Effect.flatMap(names("TestStore.list", ref), (found) => {
          const also = foundBy(NameSearch.compile(filter.search), found)
          const match = filterOf(filter.match, found)
          return driver.tests.list(ref, { ...query, filter: { ...filter, also, match } }, now)
        })
      }
    },
    triage: {
      ...driver.triage,
      asked: (ref, asked, windows) =>
        Effect.flatMap(names("TriageStore.asked", ref), ({ resolve }) => {
          if (resolve === TestAlias.none) return driver.triage.asked(ref, asked, windows)
          const failures = asked.failures.map((failure) => ({ ...failure, testName: resolve(failure.testName) }))
          return Effect.map(driver.triage.asked(ref, { ...asked, failures }, windows), (all) =>
            all.map((facts, index) => {
              const testName = asked.failures[index]?.testName ?? facts.failure.testName
              return { ...facts, failure: { ...facts.failure, testName } }
            })
          )
        }),
      signatures: (ref, wanted) =>
        Effect.flatMap(names("TriageStore.signatures", ref), ({ resolve }) =>
          driver.triage.signatures(
            ref,
            wanted.map((one) => ({ ...one, testName: resolve(one.testName) }))
          )
        ),
      reruns: (ref, verdicts) =>
        Effect.flatMap(names("TriageStore.reruns", ref), ({ resolve }) =>
          driver.triage.reruns(
            ref,
            verdicts.map((one) => ({ ...one, testName: resolve(one.testName) }))
          )
        )
    }
  }
}

const isNamed = ({ testName }: TestFilter.TestFilter): boolean => testName.include.length + testName.exclude.length > 0

/** A filter by patterns that finds tests by their other names, too. */
const filterOf = (filter: TestFilter.TestFilter, names: Aliases.Names): TestFilter.TestFilter => {
  if (names.links.length === 0) return filter
  const withOthers = (patterns: ReadonlyArray<string>): ReadonlyArray<string> => {
    if (patterns.length === 0) return patterns
    const matchers = patterns.map(Glob.compile)
    const found = foundBy((name) => matchers.some((matches) => matches(name)), names)
    const literal = patterns.filter(Glob.isLiteral).map(names.resolve)
    return [...new Set([...patterns, ...literal, ...found])]
  }
  const { exclude, include } = filter.testName
  return { ...filter, testName: { include: withOthers(include), exclude: withOthers(exclude) } }
}

/** The tests that stand for names of aliases which are found. */
const foundBy = (isFound: (name: string) => boolean, { links, resolve }: Aliases.Names): ReadonlySet<string> =>
  new Set(links.flatMap(({ from, kind }) => (kind === "name" && isFound(from) ? [resolve(from)] : [])))
