/** Failure groups in memory: grouped on every read from the executions themselves. */
import { Execution, Failure, TestId, Text } from "@lazaret/domain"
import { Option } from "effect"
import { type FailureDetail, FailureStore } from "../failure/FailureStore.ts"
import * as FailureBase from "./FailureBase.ts"
import type { StoredExecution } from "./IdentityEntry.ts"
import * as MemoryState from "./MemoryState.ts"
import type * as RepositoryEntry from "./RepositoryEntry.ts"

/** The failure port over a memory state. */
export const make = (state: MemoryState.MemoryState): FailureStore["Service"] =>
  FailureStore.of({
    list: (ref, testId) =>
      MemoryState.read(state, ref, (repository) =>
        Option.map(groupsOf(repository, testId), (groups) => groups.map((group) => group.failure))
      ),
    get: (ref, testId, failureId) =>
      MemoryState.read(state, ref, (repository) =>
        Option.flatMap(groupsOf(repository, testId), (groups) =>
          Option.fromUndefinedOr(groups.find((group) => group.failure.id === failureId))
        )
      )
  })

const groupsOf = (
  repository: RepositoryEntry.RepositoryEntry | undefined,
  asked: string
): Option.Option<ReadonlyArray<FailureDetail>> => {
  const identities = MemoryState.identitiesOf(repository, asked)
  const [first] = identities
  if (first === undefined) return Option.none()
  // The id of a name that stands for the one that was asked for.
  const testId = TestId.of(first[0].identity.testName)
  const groups = new Map<string, Array<Grouped>>()
  for (const execution of identities.flatMap(([entry]) => entry.main).toSorted(Execution.order)) {
    const { exception } = execution.fact
    if (exception === null) continue
    const group = Failure.groupOf(testId, exception)
    const members = groups.get(group.id) ?? []
    members.push({ ...group, execution })
    groups.set(group.id, members)
  }
  const details = [...groups.values()].flatMap((members) => detailOf(members, droppedIn(repository, testId)))
  return Option.some(details.toSorted(latestFirst).slice(0, Failure.maximumGroups))
}

type Grouped = ReturnType<typeof Failure.groupOf> & { readonly execution: StoredExecution }

/** The dropped failures of a group of the default branch. */
const droppedIn =
  (repository: RepositoryEntry.RepositoryEntry | undefined, testId: string) =>
  (failureId: string): ReadonlyArray<FailureBase.FailureBase> =>
    ["", repository?.defaultBranch ?? ""].flatMap(
      (branch) => repository?.failureBases.get(FailureBase.key(testId, failureId, branch)) ?? []
    )

const detailOf = (
  members: ReadonlyArray<Grouped>,
  dropped: ReturnType<typeof droppedIn>
): ReadonlyArray<FailureDetail> => {
  const first = members[0]
  const last = members.at(-1)
  if (first === undefined || last === undefined) return []
  const bases = dropped(last.id)
  const failure = {
    id: last.id,
    exceptionType: last.exceptionType,
    exceptionMessage: last.exceptionMessage,
    failureCount: bases.reduce((sum, { count }) => sum + count, members.length),
    firstFailureAt: bases.reduce((least, { firstAt }) => Math.min(least, firstAt), first.execution.at),
    lastFailureAt: last.execution.at
  }
  return [{ failure, events: members.slice(-Failure.latestEvents).toReversed().map(eventOf) }]
}

const eventOf = ({ execution }: Grouped): Failure.FailureEvent => ({
  id: execution.id,
  failedAt: execution.at,
  stacktrace: execution.fact.exception?.stacktrace ?? null,
  filepath: execution.fact.filepath,
  language: execution.run.language,
  jobUrl: execution.jobUrl
})

const latestFirst = (a: FailureDetail, b: FailureDetail): number =>
  b.failure.lastFailureAt - a.failure.lastFailureAt || Text.compare(a.failure.id, b.failure.id)
