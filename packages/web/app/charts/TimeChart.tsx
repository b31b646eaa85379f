/** A series over time by uPlot: bars or a line, redrawn when the width or the colours change. */
import { useEffect, useRef, useState } from "preact/hooks"
import UPlot from "uplot"
import * as Theme from "../Theme.ts"

/** One series; `color` is a custom property of the style sheet. */
export interface Series {
  readonly label: string
  readonly color: `--${string}`
  readonly values: ReadonlyArray<number | null>
}

export interface Props {
  /** The content of the chart in words, for screen readers. */
  readonly label: string
  readonly kind: "bars" | "line"
  /** The start of each bucket, in milliseconds. */
  readonly starts: ReadonlyArray<number>
  readonly ends: ReadonlyArray<number>
  readonly series: ReadonlyArray<Series>
  readonly format: (value: number) => string
  readonly time: (start: number, end: number) => string
  readonly height?: number
  /** Whether a line counts something: its axis has whole numbers only. */
  readonly isCount?: boolean
  /** The steps that the axis of values may have, such as whole hours of minutes; without, round decimal numbers. */
  readonly steps?: ReadonlyArray<number>
  /** The end of the scale, for a few values far above the others. */
  readonly ceiling?: number
}

/** Bars stand on each other: each series is drawn as the sum of itself and those after it, the largest first. */
const stacked = (series: ReadonlyArray<Series>, length: number): ReadonlyArray<ReadonlyArray<number>> => {
  const sums: Array<ReadonlyArray<number>> = []
  let below = Array.from({ length }, () => 0)
  for (const { values } of series.toReversed()) {
    below = below.map((sum, index) => sum + (values[index] ?? 0))
    sums.unshift(below)
  }
  return sums
}

const colorOf = (element: Element, name: string): string => {
  const probe = document.createElement("span")
  probe.style.color = `var(${name})`
  element.append(probe)
  const color = getComputedStyle(probe).color
  probe.remove()
  return color
}

/** A label in the middle of its tick must not reach over the right edge. */
const hasRoom = (plot: UPlot, tick: number): boolean => plot.valToPos(tick, "x") < plot.over.clientWidth - 8

const isCount = ({ isCount: isLineOfCounts, kind }: Props): boolean => kind === "bars" || isLineOfCounts === true

const heightOf = ({ height }: Props): number => height ?? 180

const axisFont = "12px system-ui, sans-serif"

const optionsOf = (
  element: Element,
  props: Props,
  width: number,
  onHover: (index: number | null) => void
): UPlot.Options => {
  const axis = {
    stroke: colorOf(element, "--text-muted"),
    grid: { stroke: colorOf(element, "--line"), width: 1 },
    ticks: { show: false },
    font: axisFont
  }
  const paths = props.kind === "bars" ? UPlot.paths.bars?.({ size: [0.75, 28], align: 1 }) : undefined
  return {
    width,
    height: heightOf(props),
    padding: [8, 16, 0, 0],
    legend: { show: false },
    cursor: { points: { show: props.kind === "line" }, drag: { x: false, y: false }, y: false },
    scales: {
      x: { range: (_, min) => [min, (props.ends.at(-1) ?? 0) / 1000] },
      // An axis of counts from nothing to nothing would have no ticks.
      y: { range: (_, __, max) => [0, props.ceiling ?? Math.max(max ?? 0, isCount(props) ? 4 : 1e-9) * 1.05] }
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 30,
        values: (plot, ticks) => ticks.map((tick) => (hasRoom(plot, tick) ? props.time(tick * 1000, tick * 1000) : "")),
        space: 64
      },
      {
        ...axis,
        size: 52,
        space: 36,
        ...(props.steps === undefined ? {} : { incrs: [...props.steps] }),
        values: (_, ticks) => ticks.map((tick) => (isCount(props) && tick % 1 !== 0 ? "" : props.format(tick)))
      }
    ],
    series: [
      {},
      ...props.series.map((each) => {
        const color = colorOf(element, each.color)
        return props.kind === "bars"
          ? { stroke: color, fill: color, width: 0, points: { show: false }, ...(paths === undefined ? {} : { paths }) }
          : { stroke: color, width: 2, points: { show: true, size: 4, fill: color }, spanGaps: true }
      })
    ],
    hooks: { setCursor: [({ cursor }) => onHover(cursor.idx ?? null)] }
  }
}

export const TimeChart = (props: Props) => {
  const host = useRef<HTMLDivElement>(null)
  const theme = Theme.useTheme()
  const [hovered, setHovered] = useState<number | null>(null)

  useEffect(() => {
    const element = host.current
    if (element === null) return undefined
    const values =
      props.kind === "bars" ? stacked(props.series, props.starts.length) : props.series.map((each) => each.values)
    // uPlot reads its columns and does not change them.
    const columns = [props.starts.map((start) => start / 1000), ...values] as UPlot.AlignedData
    const plot = new UPlot(optionsOf(element, props, element.clientWidth, setHovered), columns, element)
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: plot.height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [theme, props.starts, props.series, props.kind])

  const start = hovered === null ? undefined : props.starts[hovered]
  return (
    <figure class="chart">
      {/* Its place is kept: the chart is drawn after the page. */}
      <div ref={host} role="img" aria-label={props.label} style={{ minHeight: `${heightOf(props)}px` }} />
      <figcaption class="chart-keys" aria-live="off">
        {start === undefined || hovered === null ? null : (
          <span>{props.time(start, props.ends[hovered] ?? start)}</span>
        )}
        {props.series.map((each) => {
          const value = hovered === null ? undefined : each.values[hovered]
          return (
            <span key={each.label}>
              <i class={`fill-${each.color.slice(each.color.lastIndexOf("-") + 1)}`} />
              {each.label}
              {value === undefined || value === null ? null : <strong> {props.format(value)}</strong>}
            </span>
          )
        })}
      </figcaption>
      <AsTable {...props} />
    </figure>
  )
}

const AsTable = ({ ends, format, series, starts, time }: Props) => (
  <details class="as-table">
    <summary>Show as a table</summary>
    <div class="table-wrap" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">When</th>
            {series.map((each) => (
              <th key={each.label} scope="col" class="number">
                {each.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {starts.map((start, index) => (
            <tr key={start}>
              <th scope="row">{time(start, ends[index] ?? start)}</th>
              {series.map((each) => {
                const value = each.values[index] ?? null
                return (
                  <td key={each.label} class="number">
                    {value === null ? "–" : format(value)}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </details>
)
