/** The operations on notifiers (beyond the interface). */
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import * as Access from "../Access.ts"
import { examples } from "../examples/Examples.ts"
import * as Operation from "../Operation.ts"
import { repositoryPath } from "../paths.ts"
import * as Problem from "../Problem.ts"
import { CreateNotifier, Notifier, NotifierList } from "../wire/Notifier.ts"
import * as Parameter from "../wire/Parameter.ts"

const listPath = `${repositoryPath}/notifiers` as const

const one = { ...Parameter.repository, notifier_id: Parameter.uuid("The id of a notifier.") }

const writeDemand = Operation.demands(Access.adminKey("write"))

const createNotifier = HttpApiEndpoint.post("createNotifier", listPath, {
  params: Parameter.repository,
  payload: CreateNotifier,
  success: Notifier.pipe(HttpApiSchema.status(201)),
  error: Problem.ofRepositoryBody
}).pipe(
  writeDemand,
  Operation.documented({
    summary: "Create a notifier",
    description:
      "Reports every event from now on in Slack or by e-mail, at once or in a digest: in order, at least once, like events in " +
      "one line.",
    example: examples.createNotifier
  })
)

const listNotifiers = HttpApiEndpoint.get("listNotifiers", listPath, {
  params: Parameter.repository,
  success: NotifierList,
  error: Problem.ofRepository
}).pipe(
  Operation.demands(Access.adminKey("read")),
  Operation.documented({
    summary: "List notifiers",
    description:
      "Lists the notifiers of a repository, oldest first, with when each last wrote and why its last attempt failed.",
    example: examples.listNotifiers
  })
)

const deleteNotifier = HttpApiEndpoint.delete("deleteNotifier", `${listPath}/:notifier_id`, {
  params: one,
  success: HttpApiSchema.NoContent.annotate({ description: "The notifier writes no more." }),
  error: Problem.ofRepository
}).pipe(writeDemand, Operation.documented({ summary: "Delete a notifier", description: "Deletes a notifier." }))

const testNotifier = HttpApiEndpoint.post("testNotifier", `${listPath}/:notifier_id/test`, {
  params: one,
  success: HttpApiSchema.NoContent.annotate({ description: "The channel accepted the test message." }),
  error: Problem.ofRepository
}).pipe(
  writeDemand,
  Operation.documented({
    summary: "Send a test message",
    description:
      "Sends a test message now. If the channel does not accept it, the response is a conflict that says why."
  })
)

/** The group of the notifiers. */
export class NotifiersApi extends Operation.guarded(
  "notifiers",
  { description: "Notifiers: events of a repository in Slack and by e-mail." },
  createNotifier,
  listNotifiers,
  deleteNotifier,
  testNotifier
) {}
