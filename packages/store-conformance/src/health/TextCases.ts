/**
 * The law of texts: whatever the domain's schemas let pass is kept to the last character, and what no store can keep is
 * refused by all of them.
 */
import { type ApplicationKey, type Quarantine, type Report, Repository, TestId } from "@lazaret/domain"
import {
  ExecutionStore,
  FailureStore,
  KeyStore,
  type Stores,
  QuarantineStore,
  QueueStore,
  RepositoryStore
} from "@lazaret/store"
import { Effect, Option } from "effect"
import { Ask, Case, Law, Sample, Upload } from "../law/index.ts"

/** A character that PostgreSQL cannot store, and half of one that UTF-8 cannot write. */
const faulty = ["a\0b", "\ud83d", "\ude00a"]

/** Checks that a write with each faulty text is refused as invalid and makes no repository. */
const refuses = (
  what: string,
  write: (ref: Repository.RepositoryRef, text: string) => Effect.Effect<unknown, unknown, Stores.Stores>
) =>
  Effect.forEach(faulty, (text) =>
    Effect.gen(function* () {
      const ref = yield* Case.repository
      const error = yield* Effect.match(write(ref, text), { onFailure: (failed) => failed, onSuccess: () => null })
      const reason = typeof error === "object" && error !== null && "reason" in error ? error.reason : null
      yield* Law.equal<unknown>(reason, "invalid", `the refusal of ${JSON.stringify(text)} as ${what}`)
      yield* Law.equal(
        yield* RepositoryStore.use((store) => store.get(ref)),
        Option.none(),
        `the repository after ${what}`
      )
    })
  )

const run = (field: keyof Report.RunContext) =>
  refuses(field, (ref, text) => Upload.one(ref, "r", { [field]: text }, [{}]))

const execution = (field: keyof Report.Case) =>
  refuses(field, (ref, text) => Upload.one(ref, "r", {}, [{}, { ...Sample.failure(), [field]: text }]))

const exceptionField = (field: "type" | "message" | "stacktrace") =>
  refuses(field, (ref, text) => {
    const parts = { type: null, message: null, stacktrace: null, [field]: text }
    return Upload.one(ref, "r", {}, [Sample.failure({ exception: parts })])
  })

const quarantine = (field: keyof Quarantine.Quarantine) =>
  refuses(field, (ref, text) =>
    Effect.gen(function* () {
      const { a } = yield* Sample.ids("a")
      yield* QuarantineStore.use((store) => store.insert(ref, { ...Sample.quarantine(a), [field]: text }))
    })
  )

const key = (field: keyof ApplicationKey.ApplicationKey) =>
  refuses(`key ${field}`, (_ref, text) =>
    Effect.gen(function* () {
      const { a } = yield* Sample.ids("a")
      yield* KeyStore.use((store) => store.insert(Sample.key(a, { [field]: text })))
    })
  )

const named = (title: string, login: string) => ({ ...Sample.pull(1), title, user: { id: 1, login } })

/** The cases of texts. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.law("ExecutionStore", "text with NUL or half a character is refused wherever a report may hold it", () =>
    Effect.all([
      refuses("key", (ref, text) =>
        ExecutionStore.use((store) => store.append(ref, { ...Sample.report("r", {}, [{}]), key: text }))
      ),
      refuses("digest", (ref, text) =>
        ExecutionStore.use((store) => store.append(ref, { ...Sample.report("r", {}, [{}]), digest: text }))
      ),
      ...(["pipelineName", "jobName", "branch", "baseBranch", "commit", "runId", "jobUrl"] as const).map(run),
      ...(["framework", "frameworkVersion", "language"] as const).map(run),
      refuses("title", (ref, text) => Upload.one(ref, "r", { pullRequest: named(text, "ada") }, [{}])),
      refuses("login", (ref, text) => Upload.one(ref, "r", { pullRequest: named("Change", text) }, [{}])),
      ...(["testName", "filepath", "functionName"] as const).map(execution),
      ...(["type", "message", "stacktrace"] as const).map(exceptionField)
    ])
  ),

  Case.make(
    "QuarantineStore",
    "text with NUL or half a character is refused wherever a quarantine may hold it",
    function* (ref) {
      yield* Effect.forEach(["testName", "reason", "branch", "createdBy"] as const, quarantine)
      const store = yield* QuarantineStore
      const { a } = yield* Sample.ids("a")
      yield* store.insert(ref, Sample.quarantine(a))
      const error = yield* Effect.flip(store.remove(ref, a, { at: Sample.noon, by: "a\0" }))
      yield* Law.equal(error.reason, "invalid")
      yield* Law.equal(yield* store.get(ref, a, Sample.noon), Option.some(Sample.quarantine(a)))
    }
  ),

  Case.law(
    "RepositoryStore",
    "text with NUL or half a character is refused wherever settings or facts may hold it",
    () =>
      Effect.all([
        refuses("defaultBranch", (ref, text) =>
          RepositoryStore.use((store) =>
            store.set(ref, { ...Repository.defaultSettings, defaultBranch: text }, Sample.noon)
          )
        ),
        ...(["commit", "title", "login"] as const).map((field) =>
          refuses(`fact ${field}`, (ref, text) => {
            const texts = { commit: "c", title: "t", login: "l", [field]: text }
            const fact = { commit: texts.commit, pull: named(texts.title, texts.login) }
            return RepositoryStore.use((store) =>
              store.recordPulls(ref, [{ commit: "c0", pull: Sample.pull(1) }, fact], Sample.noon)
            )
          })
        )
      ])
  ),

  Case.law("KeyStore", "text with NUL or half a character is refused wherever a key may hold it", () =>
    Effect.forEach(["name", "owner"] as const, key)
  ),

  Case.law("QueueStore", "text with NUL or half a character is refused wherever a queue may hold it", () =>
    Effect.all([
      refuses("reason", (ref, text) =>
        QueueStore.use((store) => store.setPause(ref, text, { at: Sample.noon, by: "key 1" }))
      ),
      refuses("configuration", (ref, text) =>
        QueueStore.use((store) => store.setConfiguration(ref, text, Sample.noon))
      ),
      ...(["id", "branch", "queueRule"] as const).map((field) =>
        refuses(`event ${field}`, (ref, text) => {
          const event = { id: "e1", at: 0, branch: "main", pullRequest: 1, kind: "queued", [field]: text } as const
          return QueueStore.use((store) => store.append(ref, [event], Sample.noon))
        })
      ),
      refuses("event kind", (ref, text) => {
        const event = { id: "e1", at: 0, branch: "main", pullRequest: 1, unknownKind: text }
        return QueueStore.use((store) => store.append(ref, [event], Sample.noon))
      })
    ])
  ),

  Case.make(
    "ExecutionStore",
    "names of 10,000 characters are kept whole and told apart at their ends",
    function* (ref) {
      const stem = "\u{1f600}".repeat(9999)
      const names = [`${stem}a`, `${stem}b`, `${stem}\u{1f600}`]
      yield* Upload.one(
        ref,
        "r",
        { pipelineName: stem, jobName: stem },
        names.map((testName) => ({ testName }))
      )
      const rows = yield* Ask.rows(ref)
      yield* Law.equal(
        rows.map(({ jobName, pipelineName, testName }) => [testName, pipelineName === stem, jobName === stem]),
        names.map((testName) => [testName, true, true])
      )
    }
  ),

  Case.make("ExecutionStore", "names that look alike are different tests", function* (ref) {
    const names = [
      "a",
      "A",
      "a ",
      " a",
      "\ta",
      "a\n",
      "\u00e9",
      "e\u0301",
      "\uff21",
      "",
      "\u200b",
      "'",
      "''",
      "null",
      "\\",
      "\\\\"
    ]
    const real = names.filter((name) => name !== "")
    yield* Upload.one(
      ref,
      "r",
      {},
      real.map((testName) => ({ testName }))
    )
    yield* Upload.one(ref, "r2", {}, [Sample.failure({ testName: "a " })])
    const rows = yield* Ask.rows(ref)
    yield* Law.equal(rows.map(({ testName }) => testName).toSorted(), real.toSorted())
    yield* Law.equal(
      rows.filter(({ executionsCount }) => executionsCount === 2).map(({ testName }) => testName),
      ["a "]
    )
    const { recent } = yield* Ask.record(ref, TestId.of("e\u0301"))
    yield* Law.equal(recent.executions, 1)
  }),

  Case.make("ExecutionStore", "an empty text is a text and not null", function* (ref) {
    const exception = { type: "", message: "", stacktrace: "" }
    yield* Upload.one(ref, "r", {}, [{ conclusion: "failed", exception, filepath: "", functionName: "" }])
    const { filepath, functionName } = yield* Ask.record(ref)
    yield* Law.equal([filepath, functionName], ["", ""])
    const history = yield* ExecutionStore.use((store) => store.history(ref, Sample.testId))
    yield* Law.equal(
      Option.map(history, (list) =>
        list.flatMap(({ executions }) => executions.map(({ exceptionType }) => exceptionType))
      ),
      Option.some([""])
    )
    const store = yield* FailureStore
    const [group] = Option.getOrElse(yield* store.list(ref, Sample.testId), () => [])
    const detail = yield* store.get(ref, Sample.testId, group?.id ?? "")
    yield* Law.equal(
      Option.map(detail, ({ events }) => events.map(({ filepath: path, stacktrace }) => [path, stacktrace])),
      Option.some([["", ""]])
    )
  }),

  Case.make(
    "FailureStore",
    "messages and stack traces are kept as they are, long ones and line breaks too",
    function* (ref) {
      const message = `first\r\nsecond\t\u2028 ${"\u{1f600}".repeat(2000)}`
      const stacktrace = `at a\n  at b\r\n${"x".repeat(60_000)}`
      yield* Upload.one(ref, "r", {}, [Sample.failure({ exception: { type: "E\n", message, stacktrace } })])
      const store = yield* FailureStore
      const [group] = Option.getOrElse(yield* store.list(ref, Sample.testId), () => [])
      yield* Law.equal([group?.exceptionType, group?.exceptionMessage], ["E\n", message])
      const detail = yield* store.get(ref, Sample.testId, group?.id ?? "")
      yield* Law.equal(
        Option.map(detail, ({ events }) => events.map((event) => event.stacktrace)),
        Option.some([stacktrace])
      )
    }
  )
]
