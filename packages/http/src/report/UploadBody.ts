/** The body of an upload: bounded, unpacked, and read piece by piece while other requests are answered. */
import { createHash } from "node:crypto"
import { Duplex } from "node:stream"
import { createGunzip, createInflate } from "node:zlib"
import { Principal, Problem } from "@lazaret/api"
import type { ParseError } from "@lazaret/ingest"
import { ByteSize, Context, Effect, Fiber, Layer, Stream } from "effect"
import { HttpServerRequest } from "effect/http"
import { BodyBudget, orRefuse } from "../request/BodyBudget.ts"
import { HttpConfig } from "../request/HttpConfig.ts"
import type * as InFlight from "../request/InFlight.ts"
import * as HttpLimits from "../request/Limits.ts"
import * as UploadFormat from "./UploadFormat.ts"

/** The content of a body, and the SHA-256 of its unpacked bytes. */
export interface Content<A> {
  readonly parsed: A
  readonly digest: string
}

/**
 * Receives uploads within the budget of memory.
 *
 * **Details**
 *
 * Memory is reserved before the body is read, as much as the headers announce, and more when the body turns out to be larger.
 * It is released when the content has been used. A client that disconnects does not interrupt a use that has begun.
 *
 * The rest of a refused body is read and discarded before the answer: most clients send the whole body before they read, and
 * would only see a closed connection otherwise.
 */
export class UploadBody extends Context.Service<
  UploadBody,
  {
    readonly receive: <C, A, E, R>(
      formats: UploadFormat.Formats<C>,
      use: (content: Content<C>) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | Refused, R | HttpServerRequest.HttpServerRequest | Principal>
  }
>()("@lazaret/http/UploadBody") {
  /** Receives uploads by `HttpConfig`. */
  static readonly layer = Layer.effect(
    UploadBody,
    Effect.gen(function* () {
      const { uploads } = yield* BodyBudget
      const { upload } = yield* HttpConfig
      const scope = yield* Effect.scope

      const receive: UploadBody["Service"]["receive"] = (formats, use) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const { key, subject } = yield* Principal
            const reservation = uploads.open(key?.id ?? subject)
            const content = yield* restore(
              read(formats, upload, reservation).pipe(
                Effect.onError(() => reservation.release),
                Effect.tapError(() => discardRest(upload))
              )
            )
            const used = yield* Effect.forkIn(Effect.ensuring(restore(use(content)), reservation.release), scope)
            return yield* restore(Fiber.join(used))
          })
        )

      return UploadBody.of({ receive })
    })
  )
}

type Refused = Problem.ContentTooLarge | Problem.Unavailable | Problem.Unprocessable | Problem.UnsupportedMediaType

/**
 * Reads the body of a request to its end.
 *
 * **Details**
 *
 * The limits hold while it is read: nothing beyond them is unpacked or kept. Between two pieces of 64 KiB other
 * requests get their turn.
 */
const read = Effect.fnUntraced(function* <A>(
  formats: UploadFormat.Formats<A>,
  limits: HttpConfig["upload"],
  reservation: InFlight.Reservation
) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const mediaType = UploadFormat.mediaType(request)
  const reader = formats.readerOf(mediaType)
  if (reader === undefined) return yield* unknownType(mediaType, formats)
  let reserved = announced(request, limits)
  yield* Effect.flatMap(reservation.grow(reserved), orRefuse)
  const hash = createHash("sha256")
  const whole = request.stream.pipe(Stream.mapError(() => unreadable))
  const sent = limited(whole, limits.sent, tooMuchSent(limits.sent))
  const unpacked = limited(yield* unpack(request, sent), limits.unpacked, tooMuchUnpacked(limits.unpacked))
  yield* Stream.runForEach(Stream.flatMap(unpacked, pieces), (piece) => {
    hash.update(piece)
    const written = Effect.andThen(parsing(Effect.fromResult(reader.write(piece))), Effect.yieldNow)
    if (reader.needs() <= reserved) return written
    reserved = reader.needs() + step
    return Effect.andThen(Effect.flatMap(reservation.grow(reserved), orRefuse), written)
  })
  const parsed = yield* parsing(reader.end())
  yield* reservation.settle(
    Math.min(reader.needs(), reader.textBytes() + HttpLimits.caseBytes * formats.casesOf(parsed))
  )
  yield* Effect.yieldNow
  return { parsed, digest: hash.digest("hex") }
})

/** Reads what is left of a body, as long as it has no more bytes than an upload and comes in time. */
const discardRest = ({ sent }: HttpConfig["upload"]) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ stream }) =>
    limited(stream, sent, null).pipe(
      Stream.runDrain,
      Effect.timeoutOption(`${HttpLimits.restSeconds} seconds`),
      Effect.ignore,
      // The body of a web request cannot be read a second time.
      Effect.catchDefect(() => Effect.void)
    )
  )

/** How much more is reserved at once when a body is larger than its headers announced. */
const step = 1_048_576

/**
 * The ratio between a packed body and its content: reports shrink to a tenth, and to a hundredth when traces repeat.
 * Few bodies hold more than that, so that few have to wait when a part of them has been read.
 */
const highRatio = 100

/** The bytes of an unpacked body as its headers announce it; a body of unknown length begins with a small reservation. */
const announced = ({ headers }: HttpServerRequest.HttpServerRequest, limits: HttpConfig["upload"]): number => {
  const length = Number(headers["content-length"] ?? 0) || pieceLength
  const isPacked = headers["content-encoding"] !== undefined
  return Math.min(isPacked ? length * highRatio : length, ByteSize.toNumberUnsafe(limits.unpacked))
}

type Bytes<E> = Stream.Stream<Uint8Array, E>

const pieceLength = 65_536

const pieces = (chunk: Uint8Array): Bytes<never> =>
  Stream.fromIterable(
    Array.from({ length: Math.ceil(chunk.length / pieceLength) }, (_, index) =>
      chunk.subarray(index * pieceLength, (index + 1) * pieceLength)
    )
  )

const limited = <E, F>(body: Bytes<E>, limit: ByteSize.ByteSize, error: F): Bytes<E | F> =>
  Stream.suspend(() => {
    const most = ByteSize.toNumberUnsafe(limit)
    let total = 0
    return Stream.mapEffect(body, (chunk) => {
      total += chunk.length
      return total > most ? Effect.fail(error) : Effect.succeed(chunk)
    })
  })

/** The decoders of content codings; `x-gzip` is another name of `gzip` (RFC 9110, section 8.4.1.3). */
const decoders: ReadonlyMap<string, () => Duplex> = new Map([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate]
])

const unpack = Effect.fnUntraced(function* <E>(request: HttpServerRequest.HttpServerRequest, body: Bytes<E>) {
  const encoding = (request.headers["content-encoding"] ?? "identity").trim().toLowerCase()
  if (encoding === "identity") return body
  const decoder = decoders.get(encoding)
  if (decoder === undefined) return yield* unknownEncoding
  return inflated(body, decoder)
})

/**
 * The unpacked bytes of a body. Node's decoder reads the further members of a gzip file (`pigz`, `cat a.gz b.gz`), the web's
 * `DecompressionStream` refuses them. The error of the body itself (its size) is the reason of the stream's error.
 */
const inflated = <E>(body: Bytes<E>, decoder: () => Duplex): Bytes<E | Problem.Unprocessable> =>
  Stream.suspend(() => {
    let failure: E | undefined
    const watched = Stream.tapError(body, (error) =>
      Effect.sync(() => {
        failure = error
      })
    )
    return Stream.fromReadableStream({
      evaluate: () =>
        Stream.toReadableStream(watched).pipeThrough(Duplex.toWeb(decoder())) as ReadableStream<Uint8Array>,
      onError: () => failure ?? unreadable
    })
  })

const parsing = <A>(parsed: Effect.Effect<A, ParseError.ParseError>) =>
  Effect.mapError(parsed, (error) =>
    error.reason === "too_large"
      ? new Problem.ContentTooLarge({ detail: error.message })
      : Problem.unprocessable([{ location: "body", message: error.message }])
  )

const tooMuchSent = (limit: ByteSize.ByteSize) =>
  new Problem.ContentTooLarge({
    detail: `An upload may have ${ByteSize.toNumberUnsafe(limit)} bytes: send it with gzip, or in several reports.`
  })

const tooMuchUnpacked = (limit: ByteSize.ByteSize) =>
  new Problem.ContentTooLarge({
    detail: `An upload may have ${ByteSize.toNumberUnsafe(limit)} bytes when unpacked: send it in several reports.`
  })

const unknownEncoding = new Problem.UnsupportedMediaType({
  detail: "Send the body as it is or with `Content-Encoding: gzip`."
})

const unknownType = (mediaType: string | null, formats: Pick<UploadFormat.Formats<never>, "advice">) =>
  new Problem.UnsupportedMediaType({
    detail: `This route does not take \`${(mediaType ?? "").slice(0, 100)}\`. ${formats.advice(mediaType)}`
  })

const unreadable = Problem.unprocessable([
  { location: "body", message: "The body cannot be read to its end: send it whole, and compressed as its header says." }
])
