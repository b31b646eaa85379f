/**
 * The page of GitHub on which a person confirms the manifest of an app.
 *
 * GitHub publishes no description of this form. Its rules here follow the page "Registering a GitHub App from a manifest" of
 * GitHub's documentation.
 */
import * as Hub from "./Hub.ts"
import { isObject, type Json, type JsonObject } from "./Json.ts"

/** A submitted form, and what GitHub does with it: leads the browser on, or lists what is wrong. */
export type Outcome =
  | { readonly _tag: "Redirect"; readonly location: string }
  | { readonly _tag: "Refused"; readonly faults: ReadonlyArray<string> }

/** Whether a request submits a manifest, for a person or an organisation. */
export const isForm = (method: string, path: string): boolean =>
  method === "POST" && /^(?:\/organizations\/[\w-]+)?\/settings\/apps\/new$/u.test(path)

/** The person confirms at once: registers the app, and leads back with a code. */
export const submit = (hub: Hub.Hub, query: URLSearchParams, body: string): Outcome => {
  const manifest = parsed(new URLSearchParams(body).get("manifest") ?? "")
  const faults = isObject(manifest) ? faultsOf(manifest) : ["manifest is not a JSON object"]
  if (!isObject(manifest) || faults.length > 0) return { _tag: "Refused", faults }
  const { callback_urls: callbacks, name } = manifest
  const callbackUrls = Array.isArray(callbacks) ? callbacks.map(String) : []
  const app = Hub.addApp(hub, { permissions: permissionsOf(manifest), name: String(name), callbackUrls })
  const code = Hub.newToken("code")
  hub.manifests.set(code, app)
  const location = new URL(String(manifest["redirect_url"]))
  location.searchParams.set("code", code)
  const state = query.get("state")
  if (state !== null) location.searchParams.set("state", state)
  return { _tag: "Redirect", location: location.href }
}

const parsed = (text: string): Json => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const members: ReadonlySet<string> = new Set([
  "name",
  "url",
  "hook_attributes",
  "redirect_url",
  "callback_urls",
  "setup_url",
  "description",
  "public",
  "default_events",
  "default_permissions",
  "request_oauth_on_install",
  "setup_on_update"
])

/** The permission that each event needs. */
const needs: Readonly<Record<string, string>> = {
  check_run: "checks",
  issue_comment: "issues",
  merge_group: "merge_queues",
  pull_request: "pull_requests",
  push: "contents",
  repository: "metadata",
  status: "statuses",
  workflow_job: "actions",
  workflow_run: "actions"
}

const isUrl = (json: Json | undefined): boolean =>
  typeof json === "string" && /^https?:$/u.test(URL.parse(json)?.protocol ?? "")

const faultsOf = (manifest: JsonObject): ReadonlyArray<string> => {
  const { callback_urls: callbacks = [] } = manifest
  const { default_events: events, default_permissions: permissions, hook_attributes: hook, name } = manifest
  const asked = isObject(permissions) ? permissions : {}
  return [
    ...Object.keys(manifest)
      .filter((key) => !members.has(key))
      .map((key) => `${key} is unknown`),
    ...(typeof name === "string" && name.length > 0 && name.length <= 34 ? [] : ["name has 1 to 34 characters"]),
    ...["url", "redirect_url"].filter((key) => !isUrl(manifest[key])).map((key) => `${key} is not a URL`),
    ...(Array.isArray(callbacks) && callbacks.length <= 10 && callbacks.every(isUrl)
      ? []
      : ["callback_urls has at most 10 URLs"]),
    ...(isObject(hook) && isUrl(hook["url"]) ? [] : ["hook_attributes.url is not a URL"]),
    ...Object.entries(asked)
      .filter(([key, access]) => !(key in Hub.permissions) || (access !== "read" && access !== "write"))
      .map(([key]) => `default_permissions.${key} is unknown`),
    ...(Array.isArray(events) ? events : [])
      .filter((event) => !((needs[String(event)] ?? "") in asked))
      .map((event) => `default_events: ${String(event)} needs a permission that is not asked for`)
  ]
}

const permissionsOf = ({ default_permissions: permissions }: JsonObject): Hub.App["permissions"] =>
  // The faults have shown that each is one of these.
  (isObject(permissions) ? permissions : {}) as Hub.App["permissions"]
