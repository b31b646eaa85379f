/** The app, its installations, its tokens and its deliveries. */
import * as Hub from "../Hub.ts"
import type { JsonObject } from "../Json.ts"
import { byApp, notFound, type Operations, paged, userJson } from "./Operation.ts"

const appJson = ({ events, id, name, permissions, slug }: Hub.App): JsonObject => ({
  id,
  slug,
  name,
  html_url: `https://github.test/apps/${slug}`,
  owner: userJson({ id: 1, login: "acme" }, "Organization"),
  permissions: { ...permissions },
  events: [...events]
})

const tokenLifetime = 3_600_000

/** The operations. */
export const operations: Operations = {
  "apps/get-authenticated": byApp((app) => ({ status: 200, members: appJson(app) })),

  "apps/create-from-manifest": ({ hub, path }) => {
    const app = hub.manifests.get(path["code"] ?? "")
    if (app === undefined) return notFound
    hub.manifests.delete(path["code"] ?? "")
    return {
      status: 201,
      members: {
        ...appJson(app),
        client_id: app.clientId,
        client_secret: app.clientSecret,
        webhook_secret: app.webhookSecret,
        pem: app.privateKey
      }
    }
  },

  "apps/get-repo-installation": byApp((app, { hub, path }) => {
    const repository = Hub.repositoryNamed(hub, path["owner"] ?? "", path["repo"] ?? "")
    const installation = repository === undefined ? undefined : Hub.installationOf(hub, repository.owner, app.id)
    if (installation === undefined) return notFound
    return {
      status: 200,
      members: {
        id: installation.id,
        app_id: app.id,
        app_slug: app.slug,
        account: userJson({ id: 1, login: installation.owner }),
        html_url: `https://github.test/organizations/${installation.owner}/settings/installations/${installation.id}`,
        suspended_at: installation.isSuspended ? Hub.timestamp(hub) : null,
        permissions: { ...(installation.accepted ?? app.permissions) },
        events: [...app.events]
      }
    }
  }),

  "apps/create-installation-access-token": byApp((app, { hub, path }) => {
    const installation = hub.installations.get(Number(path["installation_id"]))
    if (installation === undefined || installation.appId !== app.id) return notFound
    // octokit/octokit.rb#1307; Mergifyio/mergify#1462: "report it during access_token call, not when we get the installation".
    if (installation.isSuspended) return { status: 403, members: { message: "This installation has been suspended" } }
    const token = Hub.newToken("ghs")
    const expiresAt = Hub.now(hub) + tokenLifetime
    hub.tokens.set(token, { installation: installation.id, expiresAt })
    const expires = `${new Date(expiresAt).toISOString().slice(0, 19)}Z`
    return { status: 201, members: { token, expires_at: expires, permissions: { ...app.permissions } } }
  }),

  "apps/list-webhook-deliveries": byApp((_, call) => {
    const newest = [...call.hub.deliveries].reverse()
    const { headers, items } = paged(call, newest, "/app/hook/deliveries")
    return { status: 200, headers, members: items.map(deliveryJson) }
  }),

  "apps/redeliver-webhook-delivery": byApp((_, { hub, path }) => {
    const found = hub.deliveries.find(({ id }) => id === Number(path["delivery_id"]))
    if (found === undefined) return notFound
    hub.deliveries.push({ ...found, id: Hub.nextId(hub), attempts: [] })
    return { status: 202, members: {} }
  })
}

const deliveryJson = ({ at, attempts, event, guid, id, payload }: Hub.Delivery): JsonObject => ({
  id,
  guid,
  delivered_at: at,
  event,
  action: typeof payload["action"] === "string" ? payload["action"] : null,
  redelivery: false,
  status: attempts.at(-1) === 200 ? "OK" : "Failed",
  status_code: attempts.at(-1) ?? 0
})
