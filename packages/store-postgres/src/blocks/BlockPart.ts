/** New executions and changed chunks of a block. */
import type { Instant, Outage } from "@lazaret/domain"
import type { PackedExecution } from "../codec/ResultChunk.ts"

/**
 * The executions of an upload for one block. `executions` makes new objects with every call, so that they are
 * short-lived.
 */
export interface BlockPart {
  readonly blockNo: number
  readonly upload: {
    readonly uploadNo: number
    readonly report: { readonly id: string }
    readonly run: { readonly commitNo: number; readonly standing: { readonly judgement: Outage.Judgement } }
  }
  readonly executions: () => ReadonlyArray<PackedExecution>
}

/** A stored chunk whose flags have changed. */
export interface ChangedChunk {
  readonly block_no: number
  readonly at: Instant.Instant
}
