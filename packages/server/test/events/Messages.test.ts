import { createServer } from "node:http"
import type { Channel } from "@lazaret/domain"
import { type Message, MessageSender } from "@lazaret/services"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Option, Redacted, Result } from "effect"
import { SMTPServer } from "smtp-server"
import type { Reach } from "../../src/events/EventRequests.ts"
import * as Messages from "../../src/events/Messages.ts"

const message: Message.Message = {
  id: "0f1d8a0c-53c5-5e38-9d55-2b6a8d0c9e31",
  title: "acme/widgets: 1 change",
  lines: [
    { text: 'a <!channel> & "b" was broken', url: "https://tests.example.com/acme/widgets/tests/1", isHeading: false }
  ],
  further: 0,
  url: null,
  sentAt: Date.UTC(2026, 4, 20, 12)
}

interface Setup {
  readonly reach?: Reach
  readonly mail?: Messages.MailServer
}

const send = (channel: Channel.Channel, { mail, reach = "any" }: Setup = {}) =>
  Effect.gen(function* () {
    const sender = yield* MessageSender
    return yield* Effect.result(sender.send(channel, message))
  }).pipe(Effect.provide(Messages.layer(reach, Option.fromUndefinedOr(mail))), Effect.runPromise)

/** A receiver of an incoming webhook that answers with a status. */
const webhook = async (status: number) => {
  const got: Array<string> = []
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (part) => (body += part))
    request.on("end", () => {
      got.push(body)
      response.writeHead(status).end("ok")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return { got, url: `http://127.0.0.1:${port}/services/secret`, close: () => server.close() }
}

/** A mail server that takes messages from one user, for every address but `nobody@`. */
const mailServer = async () => {
  const got: Array<{ readonly to: ReadonlyArray<string>; readonly text: string }> = []
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth: ({ password }, _, done) => (password === "right" ? done(null, { user: "lazaret" }) : done(new Error("no"))),
    onRcptTo: ({ address }, _, done) => (address.startsWith("nobody@") ? done(new Error("unknown")) : done()),
    onData: (stream, session, done) => {
      let text = ""
      stream.on("data", (part: Buffer) => (text += part.toString("utf8")))
      stream.on("end", () => {
        got.push({ to: session.envelope.rcptTo.map(({ address }) => address), text })
        done()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))
  const address = server.server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const of = (password: string): Messages.MailServer => ({
    url: Redacted.make(`smtp://lazaret:${password}@127.0.0.1:${port}`),
    from: "Lazaret <lazaret@example.com>"
  })
  return { got, of, close: () => new Promise<void>((resolve) => server.close(() => resolve())) }
}

describe("Messages", () => {
  it("Slack gets a message in its format in which no text mentions anybody", async () => {
    const { close, got, url } = await webhook(200)
    const sent = await send({ _tag: "Slack", url })
    close()
    assert.isTrue(Result.isSuccess(sent))
    const { blocks, text } = JSON.parse(got[0] ?? "{}")
    assert.strictEqual(text, message.title)
    assert.deepStrictEqual(blocks[0].text, { type: "plain_text", text: message.title, emoji: false })
    assert.strictEqual(
      blocks[1].text.text,
      '• a &lt;!channel&gt; &amp; "b" was broken <https://tests.example.com/acme/widgets/tests/1|Open>'
    )
  })

  it("Microsoft Teams gets one adaptive card", async () => {
    const { close, got, url } = await webhook(202)
    const sent = await send({ _tag: "Teams", url })
    close()
    assert.isTrue(Result.isSuccess(sent))
    const { attachments, type } = JSON.parse(got[0] ?? "{}")
    assert.strictEqual(type, "message")
    assert.strictEqual(attachments[0].contentType, "application/vnd.microsoft.card.adaptive")
    assert.strictEqual(attachments[0].content.body[1].inlines[0].text, '• a <!channel> & "b" was broken')
  })

  it("a refusal of Slack is a failure without its address, and a private address is not reached where only public ones may be", async () => {
    const { close, got, url } = await webhook(404)
    const refused = await send({ _tag: "Slack", url })
    const unreached = await send({ _tag: "Slack", url }, { reach: "public" })
    close()
    assert.lengthOf(got, 1)
    assert.include(JSON.stringify(refused), "status 404")
    assert.notInclude(JSON.stringify(refused), "secret")
    assert.include(JSON.stringify(unreached), "no public address")
  })

  it("an e-mail has its subject, its text, and an id that is the same for every attempt", async () => {
    const { close, got, of } = await mailServer()
    const channel = { _tag: "Email", to: ["ada@example.com", "nobody@example.com"] } as const
    const sent = [await send(channel, { mail: of("right") }), await send(channel, { mail: of("right") })]
    const refused = await send(channel, { mail: of("wrong") })
    const nobody = await send({ _tag: "Email", to: ["nobody@example.com"] }, { mail: of("right") })
    await close()
    // An invalid address must not make the message go out again to the others.
    assert.isTrue(sent.every(Result.isSuccess))
    assert.deepStrictEqual(
      got.map(({ to }) => to),
      [["ada@example.com"], ["ada@example.com"]]
    )
    for (const { text } of got) {
      assert.match(text, /^Message-ID: <0f1d8a0c-53c5-5e38-9d55-2b6a8d0c9e31@example\.com>\r$/mu)
      assert.match(text, /^Subject: acme\/widgets: 1 change\r$/mu)
      assert.match(text, /^Auto-Submitted: auto-generated\r$/mu)
      assert.include(text, '- a <!channel> & "b" was broken')
    }
    assert.include(JSON.stringify(refused), "EAUTH")
    assert.isTrue(Result.isFailure(nobody))
    assert.notInclude(JSON.stringify([refused, nobody]), "example.com")
  })

  it("a mail server that refuses its login is a warning when the server starts, without its address", async () => {
    const { close, of } = await mailServer()
    const logged: Array<unknown> = []
    const logger = Logger.make<unknown, void>((entry) => void logged.push(entry.message))
    const began = Effect.gen(function* () {
      yield* Layer.build(Messages.layer("any", Option.some(of("wrong"))))
      while (logged.length === 0) yield* Effect.sleep(5)
    })
    await Effect.runPromise(Effect.scoped(began).pipe(Effect.provide(Logger.layer([logger]))))
    await close()
    assert.match(String(logged[0]), /^E-mails cannot be sent now: the mail server .*EAUTH/u)
    assert.notInclude(String(logged[0]), "127.0.0.1")
  })

  it("without a mail server an e-mail fails with the settings that it needs", async () => {
    const failed = await send({ _tag: "Email", to: ["ada@example.com"] })
    assert.include(JSON.stringify(failed), "LAZARET_SMTP_URL")
  })
})
