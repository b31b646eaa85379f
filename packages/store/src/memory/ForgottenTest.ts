/** Removing one test from memory. */
import { TestId } from "@lazaret/domain"
import type * as RepositoryEntry from "./RepositoryEntry.ts"
import * as Entry from "./RepositoryEntry.ts"

/**
 * Removes the identities of a test with their executions, and yields whether the test was known: runs remember it also after its
 * executions were dropped.
 */
export const remove = (repository: RepositoryEntry.RepositoryEntry, testId: TestId.TestId): boolean => {
  const test = Entry.testById(repository, testId)
  const testName = test?.[0].identity.testName ?? nameIn(repository, testId)
  if (testName === undefined) return false
  const removed = new Set(test)
  const isKept = (identity: RepositoryEntry.RunEntry["identities"][number] | undefined): boolean =>
    identity === undefined || !removed.has(identity)
  for (const run of [...repository.runs.byJob.values()].flatMap(({ ordered }) => ordered)) {
    run.executions = run.executions.filter((_, index) => isKept(run.identities[index]))
    run.identities = run.identities.filter(isKept)
  }
  const kept = repository.entries.filter(isKept)
  repository.entries.length = 0
  for (const identity of kept) repository.entries.push(identity)
  repository.tests.delete(testName)
  const id = TestId.of(testName)
  repository.testsById.delete(id)
  renumber(repository, testName)
  repository.failureBases = new Map([...repository.failureBases].filter(([key]) => !key.startsWith(`${id} `)))
  repository.active = null
  return true
}

/** The name of a test that runs alone remember. */
const nameIn = ({ numbers }: RepositoryEntry.RepositoryEntry, testId: TestId.TestId): string | undefined =>
  [...numbers.keys()].find((name) => TestId.of(name) === testId)

/** The sets of runs keep the number of the test: a test of the same name that comes later gets another one. */
const renumber = ({ numbers }: RepositoryEntry.RepositoryEntry, testName: string): void => {
  const number = numbers.get(testName)
  if (number === undefined) return
  numbers.delete(testName)
  // No test has this name: no text with NUL is stored.
  numbers.set(`\0${number}`, number)
}
