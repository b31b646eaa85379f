/** Shards of a cluster are moved to another node while two servers take uploads. */
import * as Cluster from "./Cluster.ts"
import * as Load from "./Load.ts"

/** How Citus moves a shard: uploads go on while it is copied, or wait until it was copied. */
type Mode = "force_logical" | "block_writes"

/** A move: how, the shards with the same repositories, the seconds that it took, and the slowest answer since the one before. */
interface Move {
  readonly mode: Mode
  readonly shards: number
  readonly seconds: number
  readonly slowest: number
}

/** The outcome, with the moves. */
export type Outcome = Load.Outcome & { readonly moves: ReadonlyArray<Move> }

/**
 * Moves repositories from the first worker to the second, once in each mode; with `all`, then everything that is left (a node that is to
 * be taken away), and half of everything back (a node that was added).
 */
export const run = async (cluster: Cluster.Cluster, all: boolean): Promise<Outcome> => {
  const { url } = cluster
  const moves: Array<Move> = []
  const outcome = await Load.during(url, "moves", async (load) => {
    const move = async (mode: Mode, statement: string): Promise<void> => {
      const before = await placements(url)
      const started = performance.now()
      load.slowest = 0
      await Cluster.ask(url, statement)
      const seconds = Math.round((performance.now() - started) / 100) / 10
      await Load.everyRepositoryTaken(load, `after ${statement}`)
      const after = await placements(url)
      const shards = [...after].filter(([shard, port]) => before.get(shard) !== port).length
      if (shards === 0) load.faults.push(`nothing was moved by ${statement}`)
      moves.push({ mode, shards, seconds, slowest: Math.round(load.slowest) })
    }
    const [first, second] = await ofFirstWorker(url)
    for (const [shard, mode] of [
      [first, "force_logical"],
      [second, "block_writes"]
    ] as const) {
      await move(mode, `SELECT citus_move_shard_placement(${shard}, ${w1}, ${w2}, '${mode}')`)
    }
    if (!all) return
    await move("force_logical", `SELECT citus_drain_node(${w1}, 'force_logical')`)
    await Cluster.ask(url, `SELECT citus_set_node_property(${w1}, 'shouldhaveshards', true)`)
    await move("block_writes", "SELECT rebalance_table_shards(shard_transfer_mode => 'block_writes')")
  })
  return { ...outcome, moves }
}

const [w1, w2] = ([Cluster.ports.w1, Cluster.ports.w2] as const).map((port) => `'127.0.0.1', ${port}`)

/** The shards of the first worker that hold repositories under load. */
const ofFirstWorker = async (url: string): Promise<ReadonlyArray<string>> => {
  const shards = await Cluster.ask(
    url,
    `SELECT DISTINCT p.shardid
     FROM repositories r
     JOIN pg_dist_shard_placement p
       ON p.shardid = get_shard_id_for_distribution_column('repository_heads', r.repository_id)
     WHERE r.name LIKE 'moves-%' AND p.nodeport = ${Cluster.ports.w1}
     ORDER BY 1`
  )
  if (shards.length < 2) throw new Error("fewer than two shards of the first worker have repositories")
  return shards
}

/** The port of the node that has a shard. */
const placements = async (url: string): Promise<ReadonlyMap<string, string>> => {
  const rows = await Cluster.ask(
    url,
    `SELECT p.shardid, p.nodeport
     FROM pg_dist_shard_placement p
     JOIN pg_dist_shard s USING (shardid)
     WHERE s.logicalrelid = 'repository_heads'::regclass`
  )
  return new Map(rows.map((row) => row.split("|") as [string, string]))
}
