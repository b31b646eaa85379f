/** The body of an upload: bounded, unpacked, and read piece by piece while other requests are answered. */
import { createHash } from "node:crypto"
import { Duplex } from "node:stream"
import { createGunzip, createInflate } from "node:zlib"
import { Problem } from "@lazaret/api"
import type { ParseError } from "@lazaret/ingest"
import { ByteSize, Effect, Stream } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpConfig } from "./HttpConfig.ts"
import * as UploadFormat from "./UploadFormat.ts"

/** The content of a body, and the SHA-256 of its unpacked bytes. */
export interface Content<A> {
  readonly parsed: A
  readonly digest: string
}

/**
 * Reads the body of a request to its end.
 *
 * **Details**
 *
 * The limits hold while it is read: nothing beyond them is unpacked or kept. Between two pieces of 64 KiB other
 * requests get their turn.
 */
export const read = Effect.fnUntraced(function* <A>(formats: UploadFormat.Formats<A>) {
  const { upload } = yield* HttpConfig
  const request = yield* HttpServerRequest.HttpServerRequest
  const mediaType = UploadFormat.mediaType(request)
  const reader = formats.readerOf(mediaType)
  if (reader === undefined) return yield* unknownType(mediaType, formats)
  const hash = createHash("sha256")
  const whole = request.stream.pipe(Stream.mapError(() => unreadable))
  const sent = limited(whole, upload.sent, tooMuchSent(upload.sent))
  const unpacked = limited(yield* unpack(request, sent), upload.unpacked, tooMuchUnpacked(upload.unpacked))
  yield* Stream.runForEach(Stream.flatMap(unpacked, pieces), (piece) => {
    hash.update(piece)
    return Effect.andThen(parsing(Effect.fromResult(reader.write(piece))), Effect.yieldNow)
  })
  const parsed = yield* parsing(reader.end())
  yield* Effect.yieldNow
  return { parsed, digest: hash.digest("hex") }
})

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

const unpack = Effect.fnUntraced(function* <E>(request: HttpServerRequest.HttpServerRequest, body: Bytes<E>) {
  const encoding = (request.headers["content-encoding"] ?? "identity").trim().toLowerCase()
  if (encoding === "identity") return body
  if (encoding !== "gzip" && encoding !== "deflate") return yield* unknownEncoding
  return inflated(body, encoding === "gzip" ? createGunzip : createInflate)
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

const unknownType = (mediaType: string | null, formats: UploadFormat.Formats<unknown>) =>
  new Problem.UnsupportedMediaType({
    detail: `This route does not take \`${(mediaType ?? "").slice(0, 100)}\`. ${formats.advice(mediaType)}`
  })

const unreadable = Problem.unprocessable([
  { location: "body", message: "The body cannot be read to its end: send it whole, and compressed as its header says." }
])
