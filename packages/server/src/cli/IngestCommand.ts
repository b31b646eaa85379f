/**
 * `lazaret ingest`.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Connection from "./Connection.ts"
import * as RepositoryFlag from "./RepositoryFlag.ts"

const text = (name: string, description: string) => Flag.String(name).pipe(Flag.withDescription(description))

const optional = (name: string, description: string) => text(name, description).pipe(Flag.optional)

/**
 * Uploads JUnit XML files.
 *
 * @category commands
 * @since 0.1.0
 */
export const command = Command.make(
  "ingest",
  {
    repo: RepositoryFlag.flag,
    pipeline: text("pipeline", "Pipeline (workflow) that ran the tests"),
    job: text("job", "Job within the pipeline"),
    commit: text("commit", "Commit that was tested"),
    branch: optional("branch", "Branch that was tested (else: the default branch)"),
    runId: optional("run-id", "Run of the pipeline (else: one run per commit)"),
    runAttempt: Flag.Int("run-attempt").pipe(Flag.withDescription("Attempt of the run (else: 1)"), Flag.optional),
    jobUrl: optional("job-url", "Where people read the log of the job"),
    finishedAt: optional("finished-at", "When the tests finished, such as 2026-11-21T10:30:00Z (else: now)"),
    idempotencyKey: optional("idempotency-key", "Key of this upload (else: made from the run and the content)"),
    ...Connection.flags,
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print the receipts as JSON"), Flag.withDefault(false)),
    files: Argument.String("report.xml").pipe(
      Argument.withDescription("JUnit XML file(s); all are read before the first is sent"),
      Argument.variadic({ min: 1 })
    )
  },
  (given) =>
    Effect.flatMap(
      Effect.promise(() => import("./Ingest.ts")),
      ({ ingest }) => ingest(given)
    )
).pipe(
  Command.withDescription("Upload test reports (JUnit XML). The same report never counts twice."),
  Command.withShortDescription("Upload test reports"),
  Command.withExamples([
    {
      command:
        'lazaret ingest --repo acme/widgets --pipeline CI --job unit --commit "$(git rev-parse HEAD)" report.xml',
      description: "Upload the report of a run on the default branch"
    }
  ])
)
