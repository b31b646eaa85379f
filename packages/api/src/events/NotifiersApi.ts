/** The operations on notifiers (beyond the interface). */
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import * as Access from "../definition/Access.ts"
import * as Operation from "../definition/Operation.ts"
import { repositoryPath } from "../definition/paths.ts"
import * as Problem from "../definition/Problem.ts"
import {
  CreateNotifier,
  CreateWideNotifier,
  Notifier,
  NotifierList,
  WideNotifier,
  WideNotifierList
} from "./Notifier.ts"
import * as Parameter from "../definition/Parameter.ts"

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
      "Reports every event from now on in Slack, in Microsoft Teams or by e-mail, at once or in a digest: in order, at least once, like events in " +
      "one line."
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
      "Lists the notifiers of a repository, oldest first, with when each last wrote and why its last attempt failed."
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

const widePath = "/v1/notifiers"

const oneWide = { notifier_id: one.notifier_id }

const createWideNotifier = HttpApiEndpoint.post("createWideNotifier", widePath, {
  payload: CreateWideNotifier,
  success: WideNotifier.pipe(HttpApiSchema.status(201)),
  error: [Problem.ContentTooLarge, Problem.UnsupportedMediaType, Problem.Unprocessable, Problem.Unavailable]
}).pipe(
  writeDemand,
  Operation.documented({
    summary: "Create a notifier of several repositories",
    description:
      "Reports every event of the repositories from now on, in one message with a part for each. A repository that is created later " +
      "belongs to it, one that is removed drops out. The caller must administer every owner that the patterns name, or all owners " +
      "where a pattern begins with `*/`."
  })
)

const listWideNotifiers = HttpApiEndpoint.get("listWideNotifiers", widePath, {
  success: WideNotifierList,
  error: Problem.Unavailable
}).pipe(
  Operation.demands(Access.adminKey("read")),
  Operation.documented({
    summary: "List notifiers of several repositories",
    description: "Lists those whose owners the caller administers, oldest first."
  })
)

const deleteWideNotifier = HttpApiEndpoint.delete("deleteWideNotifier", `${widePath}/:notifier_id`, {
  params: oneWide,
  success: HttpApiSchema.NoContent.annotate({ description: "The notifier writes no more." }),
  error: [Problem.NotFound, Problem.Unprocessable, Problem.Unavailable]
}).pipe(
  writeDemand,
  Operation.documented({
    summary: "Delete a notifier of several repositories",
    description: "Deletes a notifier of several repositories."
  })
)

const testWideNotifier = HttpApiEndpoint.post("testWideNotifier", `${widePath}/:notifier_id/test`, {
  params: oneWide,
  success: HttpApiSchema.NoContent.annotate({ description: "The channel accepted the test message." }),
  error: [Problem.NotFound, Problem.Conflict, Problem.Unprocessable, Problem.Unavailable]
}).pipe(
  writeDemand,
  Operation.documented({
    summary: "Send a test message about several repositories",
    description:
      "Sends a test message now. If the channel does not accept it, the response is a conflict that says why."
  })
)

/** The group of the notifiers. */
export class NotifiersApi extends Operation.guarded(
  "notifiers",
  { description: "Notifiers: events of one repository or several in Slack, in Microsoft Teams and by e-mail." },
  createNotifier,
  listNotifiers,
  deleteNotifier,
  testNotifier,
  createWideNotifier,
  listWideNotifiers,
  deleteWideNotifier,
  testWideNotifier
) {}
