/** Answers to events from the hosting platform. */
import { Problem, type Schemas } from "@lazaret/api"
import type { GitHubWebhook } from "@lazaret/ingest"
import type { PlatformNote, PlatformReceipt } from "@lazaret/services"
import { Effect } from "effect"

/** The answer to an ignored delivery. */
const ignoredFor = (reason: string): typeof Schemas.PlatformEventAnswer.Type => ({ accepted: false, reason })

/** The answer to an accepted delivery. */
export const acceptedOf = ({ notes, outcomes }: PlatformReceipt): typeof Schemas.PlatformEventAnswer.Type => ({
  accepted: true,
  outcomes,
  notes: notes.flatMap(sentencesOf)
})

/** The answer to a change of an installation. */
export const installationOf = (name: string, count: number): typeof Schemas.PlatformEventAnswer.Type => ({
  accepted: true,
  outcomes: [],
  notes: [`The change "${name}" of the installation was noted for ${count} repositories.`]
})

/** The answer to a delivery that records nothing, or the faults of its payload. */
export const refused = (refusal: GitHubWebhook.Unusable) =>
  refusal.kind === "ignored"
    ? Effect.succeed(ignoredFor(refusal.reason))
    : Effect.fail(
        Problem.unprocessable(
          refusal.faults.map(({ message, path }) => ({ location: path === "" ? "body" : `body.${path}`, message }))
        )
      )

/** The name of what a person asked: a comment counts once, whatever delivers it; a label has no name of its own. */
export const sourceOf = ({ how }: GitHubWebhook.Asked, delivery: string): string =>
  how._tag === "Comment" ? `comment ${how.id}` : `delivery ${delivery}`

const sentencesOf = (note: PlatformNote): ReadonlyArray<string> => {
  switch (note._tag) {
    case "EventsAhead":
      return [
        "The events of the merge queue are more than a day ahead of the clock of this server and are not recorded."
      ]
    case "QueueRead":
      return [`The gate reads the merge queue of ${note.branch} itself.`]
    case "RepositoryChanged":
      return [`The repository was ${note.name}${note.to === null ? "" : `: it is ${note.to} now`}.`]
    case "PullRequestRecorded":
      return [`Commit ${note.commit} came with pull request ${note.number}.`]
    case "ArtifactsNoticed":
      return [`The test reports in the artifacts of run ${note.runId} are being read.`]
    case "RunNoted":
      return [`Run ${note.runId} is ${note.state}.`]
    case "DefaultBranchSet":
      return [`The default branch is ${note.branch} from now on.`]
    case "ReportRequested":
      return [`The report on commit ${note.commit} is brought up to date.`]
    case "FailedJobsRerun":
      return [note.runs === 0 ? "The commit has no failed jobs." : "The failed jobs of the commit run again."]
    case "FlakyTestsQuarantined":
      return [
        `${note.tests === 1 ? "1 test of the commit was" : `${note.tests} tests of the commit were`} quarantined.`
      ]
    case "ActionUnknown":
      return [`This server has no button "${note.action}".`]
    case "ActionFailed":
      return [`The hosting platform refused: ${note.reason}. Press the button again later.`]
    case "CommandsAnswered":
      return note.answers.map((answer) => `Pull request ${note.number}: ${answer}`)
    case "CommandsIgnored":
      return [`Pull request ${note.number}: nothing was done, because ${note.reason}.`]
    case "ConfigurationUnreadable":
      return [
        `${note.path} has changed, and the hosting platform does not show it to this server: send it with ` +
          "PUT /v1/repos/{owner}/{repository}/queues/configuration, an empty body if it was deleted."
      ]
    case "ConfigurationTooLong":
      return [
        `${note.path} has changed and is not UTF-8 text of at most ${note.characters} characters: the earlier text stays.`
      ]
    case "ConfigurationRead":
      return [
        `${note.path} has been read.`,
        ...note.faults.map(({ line, message }) => `${note.path}: Line ${line}: ${message}`)
      ]
  }
}
