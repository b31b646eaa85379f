/** The connection to a hosting platform on the wire (beyond the interface). */
import { Text } from "@lazaret/domain"
import { Schema } from "effect"
import { Timestamp } from "../definition/Timestamp.ts"

/** The GitHub App of the server. */
export const GitHubApp = Schema.Struct({
  source: Schema.Literals(["settings", "created", "none"]).annotate({
    description: "`settings`: the operator has set an app or a token. `created`: the app was created here."
  }),
  app: Schema.NullOr(
    Schema.Struct({
      id: Schema.Int,
      name: Schema.String,
      owner: Schema.String,
      url: Schema.String,
      install_url: Schema.String.annotate({ description: "The page that installs the app for repositories." })
    })
  ),
  problem: Schema.NullOr(Schema.String).annotate({ description: "Why GitHub does not confirm the app." }),
  obstacle: Schema.NullOr(Schema.String).annotate({ description: "Why no app can be created now." })
}).annotate({ identifier: "GitHubApp", description: "The app, as far as there is one." })

/** The body that begins the registration of an app. */
export const CreateGitHubApp = Schema.Struct({
  organization: Schema.NullOr(Schema.String.check(Schema.isPattern(/^[a-zA-Z0-9-]{1,40}$/u))).annotate({
    description: "The organisation that owns the app; null for the person who is signed in at GitHub."
  })
}).annotate({ identifier: "CreateGitHubApp" })

/** A begun registration. */
export const GitHubAppRegistration = Schema.Struct({
  url: Schema.String.annotate({
    description: "The page that leads to GitHub. Open it in a browser within an hour; it counts for one app."
  })
}).annotate({ identifier: "GitHubAppRegistration", description: "The registration has begun." })

/** The connection of a repository to its hosting platform. */
export const RepositoryConnection = Schema.Struct({
  state: Schema.Literals(["off", "installed", "not_installed", "refused", "unavailable"]).annotate({
    description:
      "`off`: the server is connected to no platform. `not_installed`: the app is not installed for the repository. " +
      "`refused`: a permission is missing. `unavailable`: the platform does not answer."
  }),
  detail: Schema.NullOr(Schema.String).annotate({ description: "The words of the platform." }),
  default_branch: Schema.NullOr(Schema.String)
}).annotate({ identifier: "RepositoryConnection", description: "The connection, as the platform reports it now." })

const PlatformStep = Schema.Struct({
  name: Schema.String,
  state: Schema.Literals(["ok", "missing", "unverified"]),
  message: Schema.String,
  action: Schema.NullOr(Schema.String).annotate({ description: "What to do." }),
  url: Schema.NullOr(Schema.String).annotate({ description: "The page on which to do it." }),
  seen_at: Schema.NullOr(Timestamp).annotate({ description: "When it was seen at work." }),
  is_needed: Schema.Boolean.annotate({
    description: "Whether a gate, or a driven queue, acts only when this step is `ok`."
  })
}).annotate({ identifier: "PlatformStep", description: "A step of the connection to the hosting platform." })

const acting = Schema.Literals(["off", "shadow", "held", "acting"]).annotate({
  description: "`held`: its file lets it act, and it decides in the shadow until every needed step is `ok`."
})

/** The connection of a repository, step by step. */
export const PlatformReport = Schema.Struct({
  platform: Schema.NullOr(Schema.Literals(["github", "gitlab"])),
  branch: Schema.NullOr(Schema.String).annotate({
    description: "The base branch of the gate or the driven queue; null without one."
  }),
  gate: acting,
  drive: acting,
  is_ready: Schema.Boolean.annotate({
    description: "Whether every step that the gate, or the driven queue, needs is `ok`."
  }),
  steps: Schema.Array(PlatformStep),
  failures: Schema.Array(Schema.String).annotate({ description: "What did not work of the writes that were tried." }),
  assumptions: Schema.Array(Schema.String).annotate({ description: "What nothing has seen." })
}).annotate({ identifier: "PlatformReport", description: "What was seen at work, and what is missing." })

/** The writes to try. */
export const TryPlatform = Schema.Struct({
  check: Schema.Boolean.annotate({
    description: "Whether to write the check `lazaret/check` on the default branch, and read it back."
  }),
  rerun: Schema.NullOr(Schema.String.check(Schema.isPattern(/^[0-9a-f]{7,64}$/iu))).annotate({
    description: "The commit whose failed jobs run again; null for none."
  })
}).annotate({ identifier: "TryPlatform" })

/** The reason of a person to let a gate act before its trial is over. */
export const WaiveTrial = Schema.Struct({ reason: Text.between(1, 500) }).annotate({ identifier: "WaiveTrial" })

/** The gate or driven queue that may act. */
export const TrialWaived = Schema.Struct({ branch: Schema.String }).annotate({
  identifier: "TrialWaived",
  description: "The gate, or the driven queue, of this base branch may act."
})

/** The scratch repository of a certification. */
export const CertifyPlatform = Schema.Struct({
  owner: Schema.String.check(Schema.isPattern(/^[a-zA-Z0-9-]{1,40}$/u)),
  repository: Schema.String.check(Schema.isPattern(/^(?=.*scratch)[\w.-]{1,100}$/u))
}).annotate({
  identifier: "CertifyPlatform",
  description:
    "A repository that nothing depends on, with the word scratch in its name, in which the app is installed with the permission to push."
})

const CertificationCase = Schema.Struct({ name: Schema.String, fault: Schema.NullOr(Schema.String) }).annotate({
  identifier: "CertificationCase",
  description: "A sentence that a driven queue depends on; `fault` says what is wrong, null where it holds."
})

/** A certification, while it runs and after it. */
export const PlatformCertification = Schema.Struct({
  host: Schema.String,
  scratch: Schema.String,
  state: Schema.Literals(["running", "interrupted", "failed", "passed"]),
  started_by: Schema.String,
  started_at: Timestamp,
  ended_at: Schema.NullOr(Timestamp),
  total: Schema.Int,
  cases: Schema.Array(CertificationCase),
  failure: Schema.NullOr(Schema.String)
}).annotate({
  identifier: "PlatformCertification",
  description:
    "The cases that were tried at the host so far, of `total`. `passed`: all hold, and the queues of the repository may be driven. `failed`: a " +
    "case does not hold, or `failure` says why not all were tried. `interrupted`: the server that ran it ended; begin again."
})
