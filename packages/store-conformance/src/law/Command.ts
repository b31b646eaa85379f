/** Commands: what can happen to a store, as data that can be generated, repeated on another store, and shrunk. */
import { HealthStatus, TestId, TestSort } from "@lazaret/domain"
import { Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import * as JobRun from "./JobRun.ts"
import * as Policy from "./Policy.ts"
import * as QueueDraw from "./QueueDraw.ts"

const whole = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** Whether the command goes to a second repository. */
const other = Schema.Literals([false, false, false, false, true])

const place = whole(0, 60)
const name = Schema.Literals(JobRun.testNames)
const branch = Schema.NullOr(Schema.Literals(["main", "release"]))

/** Schema of a new report. */
export const Append = Schema.TaggedStruct("Append", { other, run: JobRun.JobRun })

/** Schema of an earlier report that comes once more, with its key and its content as they were or changed. */
export const Again = Schema.TaggedStruct("Again", {
  other,
  place,
  isSameKey: Schema.Boolean,
  isSameContent: Schema.Boolean,
  isSameRun: Schema.Boolean
})

/** Schema of a change of the settings. */
export const Configure = Schema.TaggedStruct("Configure", { other, choice: Policy.Choice })

/** Schema of pull requests that a webhook reported. */
export const Pulls = Schema.TaggedStruct("Pulls", {
  other,
  commits: Schema.Array(Schema.Literals(["c17", "c18", "c30"])).check(Schema.isMaxLength(2)),
  number: whole(1, 9)
})

/** Schema of a new quarantine. */
export const Quarantine = Schema.TaggedStruct("Quarantine", {
  other,
  testName: name,
  branch,
  isAuto: Schema.Boolean,
  hour: whole(0, 3),
  life: Schema.NullOr(whole(1, 3)),
  isOfQueue: Schema.Boolean
})

/** Schema of the end of one of the quarantines made so far. */
export const Remove = Schema.TaggedStruct("Remove", { other, place })

/** Schema of another life of one of the quarantines made so far: its end is `life` hours after noon. */
export const Live = Schema.TaggedStruct("Live", { other, place, hour: whole(0, 3), life: Schema.NullOr(whole(1, 6)) })

/** Schema of a round for the ends and reminders that are due at an hour. */
export const Elapse = Schema.TaggedStruct("Elapse", { other, hour: whole(0, 6) })

const patterns = Schema.Array(
  Schema.Literals(["*", "adds", "?dds", "a*", "*%", "*\\*", "\u00e9?", "C*", "[uU]nit", "?nit"])
).check(Schema.isMaxLength(2))

/** Schema of a search that is followed from page to page, and of the count of what it finds. */
export const Search = Schema.TaggedStruct("Search", {
  other,
  sort: TestSort.SearchSort,
  direction: TestSort.Direction,
  limit: whole(1, 5),
  daysAgo: whole(0, 3),
  include: patterns,
  exclude: patterns,
  jobs: patterns,
  status: Schema.NullOr(HealthStatus.HealthStatus)
})

/** Schema of a list of quarantines that is followed from page to page. */
export const List = Schema.TaggedStruct("List", {
  other,
  testName: Schema.NullOr(name),
  branch,
  isAuto: Schema.NullOr(Schema.Boolean),
  hour: whole(0, 6),
  limit: Schema.NullOr(whole(1, 3))
})

/** Schema of a question for everything that there is to ask. */
export const Read = Schema.TaggedStruct("Read", { other, daysAgo: whole(0, 3) })

/** Schema of events of a merge queue; `isKnown` gives them the ids of earlier ones. */
export const Queue = Schema.TaggedStruct("Queue", {
  other,
  draws: Schema.Array(QueueDraw.QueueDraw).check(Schema.isMaxLength(4)),
  isKnown: Schema.Boolean
})

/** Schema of a pause of the merge queue, null for its end. */
export const Pause = Schema.TaggedStruct("Pause", {
  other,
  reason: Schema.NullOr(Schema.Literals(["release", ""])),
  hour: whole(0, 3)
})

/** Schema of the text of a queue configuration, null for none. */
export const Text = Schema.TaggedStruct("Text", {
  other,
  text: Schema.NullOr(Schema.Literals(["queue_rules: []", ""]))
})

/** Schema of an application key, with the id or the hash of an earlier one or new ones. */
export const Key = Schema.TaggedStruct("Key", { other, id: whole(0, 3), hash: whole(0, 3), hour: whole(0, 3) })

/** Schema of the revocation of a key. */
export const Revoke = Schema.TaggedStruct("Revoke", { other, id: whole(0, 3) })

/** Schema of a drop of data older than N weeks. */
export const Retain = Schema.TaggedStruct("Retain", { other, weeks: whole(0, 5) })

/** Schema of the removal of the repository. */
export const Erase = Schema.TaggedStruct("Erase", { other })

/** Schema of the removal of a test. */
export const Forget = Schema.TaggedStruct("Forget", { other, testName: name })

/** Schema of an alias of a test. */
export const Alias = Schema.TaggedStruct("Alias", { other, from: name, to: name })

/** Schema of the revocation of one of the aliases that hold. */
export const Unalias = Schema.TaggedStruct("Unalias", { other, place })

/** Schema of a command. New reports are the most frequent. */
export const Command = Schema.Union([
  Append,
  ...Array.from({ length: 8 }, () => Append.annotate({})),
  Again,
  Configure,
  Pulls,
  Quarantine,
  Remove,
  Live,
  Elapse,
  Queue,
  Pause,
  Text,
  Key,
  Revoke,
  Retain,
  Erase,
  Forget,
  Alias,
  Unalias,
  Search,
  List,
  Read
])

/** One thing that happens to a store. */
export type Command = typeof Command.Type

/** Generated lists of commands. Any part of such a list is one too: nothing refers to a command that must be there. */
export const lists = (maxLength: number): Arbitrary.Arbitrary<ReadonlyArray<Command>> =>
  Arbitrary.array(Arbitrary.schema(Command), { maxLength })

/** The id of the test that a list of quarantines is restricted to. */
export const testIdOf = ({ testName }: typeof List.Type): TestId.TestId | null =>
  testName === null ? null : TestId.of(testName)
