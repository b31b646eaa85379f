/** How request bodies are read. */
import { ByteSize, Context } from "effect"

/** The endpoint annotation with the number of bytes of a request body that the endpoint reads; 1 MiB by default. */
export const BodyLimit = Context.Reference("@lazaret/api/BodyLimit", {
  defaultValue: () => ByteSize.mebibytes(1)
})

/** The most bytes of one delivery: GitHub and GitLab send no more. */
export const deliveryLimit = ByteSize.mebibytes(25)

/** The endpoint annotation of an endpoint whose handler reads the body itself, before the body is decoded. */
export const RawBody = Context.Reference("@lazaret/api/RawBody", { defaultValue: () => false })
