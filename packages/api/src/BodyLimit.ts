/** The size limit of request bodies. */
import { ByteSize, Context } from "effect"

/** The endpoint annotation with the number of bytes of a request body that the endpoint reads; 1 MiB by default. */
export const BodyLimit = Context.Reference("@lazaret/api/BodyLimit", {
  defaultValue: () => ByteSize.mebibytes(1)
})
