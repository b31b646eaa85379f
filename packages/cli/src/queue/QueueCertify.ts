/** `lazaret queue certify`: begins a certification, and prints each case when its outcome is known. */
import type { Schemas } from "@lazaret/api"
import type { Repository } from "@lazaret/domain"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { both } from "../connection/Request.ts"
import * as Flags from "../connection/Flags.ts"
import * as Session from "../connection/Session.ts"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import * as ExitCode from "../terminal/ExitCode.ts"
import { plain } from "../terminal/Terminal.ts"

type Certification = typeof Schemas.PlatformCertification.Type

/** The pause between two questions for the progress: a case takes some seconds. */
const pause = "2 seconds"

/** The flags of the command. */
const flags = {
  ...Flags.ofRepository,
  scratch: Flag.String("scratch").pipe(
    Flag.withDescription(
      "OWNER/NAME of a repository with the word scratch in its name, that nothing depends on, and where the app may push. Without " +
        "it: follow the certification that began last"
    ),
    Flag.optional
  )
}

/** The command. */
export const certify = Command.make(
  "certify",
  flags,
  Effect.fn("lazaret.queue.certify")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    if (Option.isSome(given.scratch)) {
      const [owner = "", repository = ""] = given.scratch.value.split("/")
      const about = { params, payload: { owner, repository }, ...both }
      yield* session.once(name, (api) => api.certifyPlatform(about))
    }
    let shown = 0
    for (;;) {
      const { body, value } = yield* progressOf(session, name, params)
      if (!given.json) {
        for (const each of value.cases.slice(shown))
          yield* Console.log(plain(`${++shown} of ${value.total}: ${outcomeOf(each)}`))
      }
      if (value.state !== "running") {
        yield* Session.print(given, body, () => plain(verdictOf(value)))
        if (value.state === "passed") return
        const message = `${name}: the platform is not certified`
        return yield* new CommandFailure.CommandFailure({ message, exitCode: ExitCode.failing })
      }
      yield* Effect.sleep(pause)
    }
  })
).pipe(
  Command.withDescription(
    "Try everything that a driven queue depends on, with branches and pull requests in a scratch repository, which are removed again. " +
      "The server does so; the command waits and prints each outcome. When every case holds, the queue of the repository may be driven; else it ends with 10."
  ),
  Command.withShortDescription("Certify the platform for driven queues"),
  Command.withExamples([
    {
      command: "lazaret queue certify --repo acme/widgets --scratch acme/scratch",
      description: "Let the queue leave the shadow"
    },
    {
      command: "lazaret queue certify --repo acme/widgets",
      description: "Show the last certification, and wait for its end while it runs"
    }
  ])
)

const progressOf = (session: Session.Session, name: string, params: Repository.RepositoryRef) =>
  session.call(name, (api) => api.getPlatformCertification({ params, ...both }))

const outcomeOf = ({ fault, name }: Certification["cases"][number]): string =>
  fault === null ? `${name}: holds` : `${name}: ${fault}`

const verdictOf = ({ cases, failure, host, scratch, state, total }: Certification): string => {
  switch (state) {
    case "passed":
      return `${host} is certified: the queue may be driven`
    case "interrupted":
      return `The server ended after ${cases.length} of ${total} cases: begin again with --scratch ${scratch}`
    default:
      return `${host} is not certified: the queue stays in the shadow${failure === null ? "" : `. ${failure}`}`
  }
}
