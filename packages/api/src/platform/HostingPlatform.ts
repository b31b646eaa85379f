/** The connection to a hosting platform on the wire (beyond the interface). */
import { Schema } from "effect"

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
