/** The limits of requests: they bound memory and time for any caller. Those of one report are in `@lazaret/ingest`. */
import { deliveryLimit } from "@lazaret/api"
import { type Archive, Limits } from "@lazaret/ingest"
import { ByteSize } from "effect"
import type { HttpConfig } from "./HttpConfig.ts"
import type * as InFlight from "./InFlight.ts"

const mebibyte = 1_048_576

/** The bytes of request line and headers that a server must accept. */
export const maxHeaderSize = mebibyte

/** The length of a request id that a caller may give. */
export const requestIdLength = 128

/** The steps of sign-ins per minute that an address has. A sign-in with a provider takes two of them. */
export const signInsPerMinute = 60

/** The maximum number of reported faults. A body of 1 MiB can have many more. */
export const faults = 10_000

/** The bytes of memory of a test case, without its texts. */
export const caseBytes = 1024

/**
 * The bytes of memory that reading a whole body takes for each of its bytes: JSON is a body, a text and objects;
 * spans are read where they lie in the body.
 */
export const memoryFactors = { json: 7, protobuf: 2 }

/** The bytes of an OTLP body in protobuf. Spans are read where they lie in the bytes. */
export const protobufLength = 256 * mebibyte

/** The bytes of the answers that are kept (`Revalidation`): some hundred lists of quarantines of a thousand tests. */
export const keptAnswers = 64 * mebibyte

/**
 * The limits of an archive that the server fetches itself. They are lower than those of uploads: nobody waits for the answer,
 * and two archives are read at once.
 */
export const archive: Archive.Limits = { files: 10_000, reportBytes: 64 * mebibyte, bytes: 512 * mebibyte }

/** The memory of uploads by the settings: the largest upload, and the rest, of which a key has at most half. */
export const uploads = ({ memory, unpacked }: HttpConfig["upload"]): InFlight.Limits => {
  const largest = ByteSize.toNumberUnsafe(unpacked) + caseBytes * Limits.standard.cases
  const shared = Math.max(0, ByteSize.toNumberUnsafe(memory) - largest)
  return { shared, perCaller: shared / 2, largest, patience: "30 seconds" }
}

/** The memory of deliveries of GitHub, a caller being an address: nothing is known of the sender before they are read. */
export const deliveries: InFlight.Limits = {
  shared: 64 * mebibyte,
  perCaller: 32 * mebibyte,
  largest: 0,
  patience: "5 seconds"
}

/**
 * One delivery: the bytes that GitHub sends at most, and the seconds that GitHub waits for an answer; a sender that needs
 * longer for the body alone is not GitHub.
 */
export const delivery = { bytes: ByteSize.toNumberUnsafe(deliveryLimit), seconds: 10 }

/** The seconds in which what is left of a refused upload is read and thrown away. */
export const restSeconds = 30

/** The seconds after which an upload that found no memory may be sent again. */
export const busySeconds = 10
