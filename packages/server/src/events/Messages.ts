/** The adapter that sends the messages of notifiers: one POST to an incoming webhook, or one e-mail over SMTP, in bounded time. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type { Channel } from "@lazaret/domain"
import { DeliveryFailure, Message, MessageSender, type SendMessage, WebhookMessage } from "@lazaret/services"
import { Effect, Layer, Option, Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { createTransport, type Transporter } from "nodemailer"
import * as EventRequests from "./EventRequests.ts"
import * as PublicAddress from "./PublicAddress.ts"

/** The mail server, as `smtp://user:password@host:587`, and the address that messages come from. */
export interface MailServer {
  readonly url: Redacted.Redacted
  readonly from: string
}

/**
 * Sends messages.
 *
 * **Details**
 *
 * With the reach `public` the address of an incoming webhook is checked like that of an outgoing one (`EventRequests.layer`). The mail server is that of
 * the settings, wherever it is; without one, e-mails fail. One that takes no connection or no login when the server starts is
 * a warning in the log.
 */
export const layer = (reach: EventRequests.Reach, mailServer: Option.Option<MailServer>): Layer.Layer<never> =>
  Layer.effect(
    MessageSender,
    Effect.gen(function* () {
      const post = EventRequests.poster(yield* HttpClient.HttpClient, reach)
      const mail = Option.isSome(mailServer) ? yield* mailer(mailServer.value) : noMailServer
      const send: SendMessage = (channel, message) =>
        channel._tag === "Email"
          ? mail(channel, message)
          : post(
              HttpClientRequest.post(channel.url).pipe(
                HttpClientRequest.bodyText(
                  JSON.stringify(WebhookMessage.forms[channel._tag](message)),
                  "application/json"
                )
              )
            )
      const obstacle = (channel: Channel.Channel) =>
        channel._tag === "Email" && Option.isNone(mailServer) ? withoutMailServer : null
      return { send, obstacle }
    })
  ).pipe(
    Layer.provide(
      NodeHttpClient.layerUndiciOptions(reach === "public" ? { connect: { lookup: PublicAddress.lookupPublic } } : {})
    )
  )

type Email = Extract<Channel.Channel, { readonly _tag: "Email" }>

const withoutMailServer = "no mail server is configured: set LAZARET_SMTP_URL and LAZARET_MAIL_FROM"

const noMailServer = () => Effect.fail(new DeliveryFailure({ message: withoutMailServer }))

const mailer = Effect.fnUntraced(function* ({ from, url }: MailServer) {
  const transport = createTransport({
    url: Redacted.value(url),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 15_000,
    // A message is text of other people: it must not name files or addresses to attach.
    disableFileAccess: true,
    disableUrlAccess: true
  })
  yield* Effect.forkScoped(verify(transport))
  const host = from.slice(from.lastIndexOf("@") + 1).replaceAll(/[^\w.-]/gu, "")
  return ({ to }: Email, message: Message.Message): Effect.Effect<void, DeliveryFailure> =>
    Effect.tryPromise({
      try: () =>
        transport.sendMail({
          from,
          to: [...to],
          ...Message.mail(message),
          messageId: `<${message.id}@${host}>`,
          date: new Date(message.sentAt),
          headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" }
        }),
      catch: (error) => new DeliveryFailure({ message: reasonOf(error) })
    }).pipe(
      // An invalid address must not make the message go out again to the others.
      Effect.flatMap(({ rejected }) =>
        rejected.length === 0
          ? Effect.void
          : Effect.logWarning(`The mail server refused ${rejected.length} of ${to.length} addresses of a notifier`)
      ),
      Effect.timeoutOrElse({
        duration: "30 seconds",
        orElse: () => Effect.fail(new DeliveryFailure({ message: "no answer of the mail server within 30 seconds" }))
      })
    )
})

/** Connects and logs in without sending anything. */
const verify = (transport: Pick<Transporter, "verify">) =>
  Effect.tryPromise({
    try: () => transport.verify(),
    catch: (error) => new DeliveryFailure({ message: reasonOf(error, "does not answer as LAZARET_SMTP_URL says") })
  }).pipe(
    Effect.timeout("30 seconds"),
    Effect.catch(({ message }) => Effect.logWarning(`E-mails cannot be sent now: ${message}. They will be sent again.`))
  )

/** The answer of a mail server may hold addresses: only the code of the error is reported. */
const reasonOf = (error: unknown, failed = "did not accept the message"): string => {
  if (typeof error !== "object" || error === null) return "the mail server failed"
  const code = "code" in error && typeof error.code === "string" ? error.code : "unknown error"
  const status =
    "responseCode" in error && typeof error.responseCode === "number" ? `, status ${error.responseCode}` : ""
  return `the mail server ${failed} (${code}${status})`
}
