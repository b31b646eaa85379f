/**
 * The two pages of creating a GitHub App: one posts the manifest to GitHub, the other takes the code that GitHub returns.
 *
 * Both carry a `state` that an admin key has begun. The first page binds it to the browser with a cookie, so that a link with
 * somebody else's state and code changes nothing.
 */
import { hash } from "node:crypto"
import { ForgeApp } from "@lazaret/services"
import { Effect, Layer, Option, Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpConfig } from "../request/HttpConfig.ts"
import * as Links from "../response/Links.ts"
import * as Pages from "../response/Pages.ts"

/** The address of the page that leads to GitHub. */
export const addressOf = (base: string, state: Redacted.Redacted): string =>
  `${base}${Pages.paths.newGitHubApp}?state=${encodeURIComponent(Redacted.value(state))}`

/** The routes, which ask for no credential: the state is one. */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const app = yield* ForgeApp
    const { publicUrl } = yield* HttpConfig

    const start = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const { form, manifest, state } = yield* app.begun(Redacted.make(parametersOf(request).get("state") ?? ""))
      return yield* Effect.orDie(
        HttpServerResponse.setCookie(formPage(form, manifest), cookie, Redacted.value(state), {
          httpOnly: true,
          sameSite: "lax",
          secure: Option.exists(publicUrl, (url) => url.startsWith("https:")),
          path: Option.match(publicUrl, { onNone: () => "/", onSome: (url) => new URL(url).pathname }),
          maxAge: "1 hour"
        })
      )
    })

    const finish = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const parameters = parametersOf(request)
      const state = parameters.get("state") ?? ""
      if (state === "" || request.cookies[cookie] !== state) return refusal(foreignBrowser)
      yield* app.complete(Redacted.make(state), parameters.get("code") ?? "")
      return HttpServerResponse.empty({
        status: 303,
        headers: { ...headers, location: `${Links.base(request, publicUrl)}/admin` }
      })
    })

    return Layer.mergeAll(
      HttpRouter.add("GET", Pages.paths.newGitHubApp, (request) =>
        Effect.catchTag(start(request), "AppNotRegistered", ({ message }) => Effect.succeed(refusal(message)))
      ),
      HttpRouter.add("GET", Pages.paths.createdGitHubApp, (request) =>
        Effect.catchTag(finish(request), "AppNotRegistered", ({ message }) => Effect.succeed(refusal(message)))
      )
    )
  })
)

const cookie = "lazaret_github_app"

const foreignBrowser = "This registration was not begun in this browser. Begin again on the page Administration."

const parametersOf = ({ url }: HttpServerRequest.HttpServerRequest): URLSearchParams =>
  new URLSearchParams(url.includes("?") ? url.slice(url.indexOf("?") + 1) : "")

const headers = { "referrer-policy": "no-referrer", "cache-control": "no-store" }

const script = "document.forms[0].submit()"

/** GitHub takes a manifest from a form alone; without scripts the person presses the button. */
const formPage = (form: string, manifest: string): HttpServerResponse.HttpServerResponse =>
  page(
    "Create the GitHub App",
    `<form method="post" action="${escaped(form)}">
<input type="hidden" name="manifest" value="${escaped(manifest)}">
<p>GitHub asks you to confirm the app.</p>
<button>Continue to GitHub</button>
</form>
<script>${script}</script>`,
    // No `form-action`: browsers apply it to redirects, and GitHub may lead on to the sign-in page of another host.
    { status: 200, policy: `script-src 'sha256-${hash("sha256", script, "base64")}'` }
  )

const refusal = (message: string): HttpServerResponse.HttpServerResponse =>
  page("The GitHub App was not created", `<p>${escaped(message)}</p>`, { status: 409, policy: "form-action 'none'" })

interface Protection {
  readonly status: number
  readonly policy: string
}

const page = (title: string, body: string, { policy, status }: Protection): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(
    `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<h1>${title}</h1>
${body}
</html>
`,
    {
      status,
      contentType: "text/html; charset=utf-8",
      headers: {
        ...headers,
        "content-security-policy": `default-src 'none'; base-uri 'none'; frame-ancestors 'none'; ${policy}`
      }
    }
  )

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")
