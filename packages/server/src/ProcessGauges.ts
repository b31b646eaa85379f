/** The state of the process, measured every few seconds: processor, memory, and the delay of the event loop. */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { Effect, Layer, Metric, Schedule } from "effect"
import { version } from "./Version.ts"

/** Measures for as long as the layer lives. */
export const layer: Layer.Layer<never> = Layer.effectDiscard(
  Effect.gen(function* () {
    const delay = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const histogram = monitorEventLoopDelay({ resolution })
        histogram.enable()
        return histogram
      }),
      (histogram) => Effect.sync(() => histogram.disable())
    )
    yield* Metric.update(Metric.withAttributes(build, { version, node: process.versions.node }), 1)
    let before = 0
    const measure = Effect.suspend(() => {
      const { heapUsed, rss } = process.memoryUsage()
      const { system, user } = process.cpuUsage()
      const [median, high] = [delayAt(delay, 50), delayAt(delay, 99)]
      const spent = before
      before = (user + system) / 1e6
      delay.reset()
      return Effect.all(
        [
          Metric.update(cpu, (user + system) / 1e6 - spent),
          Metric.update(memory, rss),
          Metric.update(heap, heapUsed),
          Metric.update(Metric.withAttributes(loopDelay, { percentile: "50" }), median),
          Metric.update(Metric.withAttributes(loopDelay, { percentile: "99" }), high),
          Metric.update(start, performance.timeOrigin / 1000)
        ],
        { discard: true }
      )
    })
    yield* Effect.forkScoped(Effect.repeat(measure, Schedule.spaced("5 seconds")))
  })
)

/** Milliseconds between two samples of the event loop. */
const resolution = 20

/** Node measures from sample to sample, so that the delay of an idle loop is the time between two samples. */
const delayAt = (delay: ReturnType<typeof monitorEventLoopDelay>, percentile: number): number =>
  Math.max(0, delay.percentile(percentile) / 1e9 - resolution / 1000)

const build = Metric.gauge("lazaret_build_info", {
  description: "Always 1; its labels are the versions of Lazaret and of Node."
})

const cpu = Metric.counter("process_cpu_seconds_total", { description: "Processor time since the start." })

const memory = Metric.gauge("process_resident_memory_bytes", { description: "Memory of the process." })

const heap = Metric.gauge("lazaret_heap_bytes", { description: "Memory that JavaScript objects use." })

const loopDelay = Metric.gauge("lazaret_event_loop_delay_seconds", {
  description: "Delay of the event loop in the last 5 seconds, at the median and at the 99th percentile."
})

const start = Metric.gauge("process_start_time_seconds", { description: "When the process started (Unix time)." })
