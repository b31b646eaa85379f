/** The page that signs a browser in: by the code of a link, or by a key that is pasted once. */
import { useEffect, useState } from "preact/hooks"
import { useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import type { Failure } from "../../data/Fetch.ts"
import * as Places from "../../Places.ts"
import { navigate, type Place, usePlace } from "../../Router.ts"
import * as Session from "../../Session.ts"
import { PageTitle } from "../../ui/Section.tsx"

/** The page that was asked for stays, unless it was this one. */
const goOn = (from: string): void => {
  if (Places.pageOf(from).name === "signIn") navigate(Places.repositories, { replace: true })
}

/** The code of the link, once: it leaves the address bar at once. */
const takeCode = (): string | null => {
  const code = location.hash.slice(1)
  if (code === "" || code === "page-title") return null
  history.replaceState(null, "", location.pathname)
  return code
}

/** Why the provider signed nobody in, as the server says it. */
const refusalOf = (): string | null => new URLSearchParams(location.search).get("failure")

/** The page to go on with after the provider, below the base. */
const returnOf = ({ path, search }: Place): string => (Places.pageOf(path).name === "signIn" ? "/" : `${path}${search}`)

const Providers = ({ place }: { readonly place: Place }) => {
  const found = useResource(Routes.signInWays)
  if (found.status !== "ready") return null
  return found.answer.body.providers.map(({ kind, title, url }) => (
    <p key={kind}>
      {/* The server answers this address, not a page of the dashboard. */}
      <a class="button primary" data-outside="true" href={`${url}?return=${encodeURIComponent(returnOf(place))}`}>
        Sign in with {title}
      </a>
    </p>
  ))
}

const Hint = () => (
  <p class="hint">
    No key at hand? On the machine of the server, <code>lazaret sign-in</code> prints a link that signs in once. The
    first admin key is in its data folder, in the file <code>admin-key</code>.
  </p>
)

export const SignInPage = () => {
  const place = usePlace()
  const { path } = place
  const session = Session.useSession()
  const [code] = useState(takeCode)
  const [key, setKey] = useState("")
  const [isBusy, setIsBusy] = useState(code !== null)
  const [failure, setFailure] = useState<Failure | null>(null)

  const signIn = async (credential: Parameters<typeof Session.signIn>[0]) => {
    setIsBusy(true)
    const failed = await Session.signIn(credential)
    setIsBusy(false)
    setFailure(failed)
    if (failed === null) goOn(path)
  }

  // The code is valid for one attempt, when the page opens.
  useEffect(() => {
    if (code !== null) void signIn({ code })
  }, [])

  return (
    <div class="sign-in card">
      <PageTitle>Sign in</PageTitle>
      {session.status === "out" && session.isEnded ? (
        <p>
          Your session has ended: its key was revoked, it was ended, or it is too old. Sign in to go on where you were.
        </p>
      ) : null}
      {refusalOf() === null ? null : (
        <p class="form-failure" role="alert">
          {refusalOf()}
        </p>
      )}
      <Providers place={place} />
      <p class="muted">Paste an application key of this server. It begins a session of this browser and is not kept.</p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void signIn({ key })
        }}
      >
        <label for="key">Application key</label>
        <input
          id="key"
          type="password"
          autocomplete="current-password"
          placeholder="lzr_…"
          required
          value={key}
          onInput={(event) => setKey(event.currentTarget.value)}
        />
        {failure === null ? null : (
          <p class="form-failure" role="alert">
            {failure.detail}
          </p>
        )}
        <button type="submit" class="button primary" disabled={isBusy}>
          {isBusy ? "Signing in…" : "Sign in"}
        </button>
      </form>
      <Hint />
    </div>
  )
}
