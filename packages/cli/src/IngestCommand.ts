/** `lazaret ingest`. */
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Connection from "./Connection.ts"
import * as JsonFlag from "./JsonFlag.ts"
import { load } from "./MissingPackage.ts"
import * as RepositoryFlag from "./RepositoryFlag.ts"
import * as RunFlags from "./RunFlags.ts"

/** The flag that names the format of reports. */
export const format = Flag.Literals("format", ["junit", "ctrf", "otlp"]).pipe(
  Flag.withDescription("Format of the reports: junit (XML), ctrf or otlp (JSON); else it is found by looking at them"),
  Flag.optional
)

/** The arguments that name reports. */
export const reports = Argument.String("report.xml").pipe(
  Argument.withDescription("Files, quoted patterns, folders, or - for the standard input; packed with gzip or not"),
  Argument.variadic({ min: 1 })
)

/** Uploads test reports. */
export const command = Command.make(
  "ingest",
  {
    repo: RepositoryFlag.optional,
    ...RunFlags.flags,
    format,
    ...Connection.flags,
    json: JsonFlag.flag,
    files: reports
  },
  (given) =>
    Effect.flatMap(
      load(() => import("./Ingest.ts")),
      ({ ingest }) => ingest(given)
    )
).pipe(
  Command.withDescription(
    "Upload test reports (JUnit XML, CTRF, OTLP JSON). The same report never counts twice. What is marked (CI) comes from " +
      "GitHub Actions, GitLab CI, CircleCI, Buildkite, Azure Pipelines or Jenkins unless it is given."
  ),
  Command.withShortDescription("Upload test reports"),
  Command.withExamples([
    { command: "lazaret ingest reports/", description: "In CI: upload every report in a folder" },
    {
      command:
        'lazaret ingest --repo acme/widgets --pipeline CI --job unit --commit "$(git rev-parse HEAD)" report.xml',
      description: "Elsewhere: upload the report of a run on the default branch"
    }
  ])
)
