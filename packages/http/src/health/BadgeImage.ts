/** Badges as pictures: a label, a shape and a text, drawn without a font, script or style of anybody else. */
import type { HealthStatus } from "@lazaret/domain"
import type { BadgeCounts } from "@lazaret/services"

/** The content of a badge. `title` is its text for screen readers; a `status` of null is neither good nor bad. */
export interface Badge {
  readonly label: string
  readonly text: string
  readonly title: string
  readonly status: HealthStatus.HealthStatus | null
}

/** The badge of a repository: its tests that cannot be trusted, or how many can be when that is all of them. */
export const ofRepository = ({ broken, flaky, healthy }: BadgeCounts): Badge => {
  const parts = [...(broken > 0 ? [`${number(broken)} broken`] : []), ...(flaky > 0 ? [`${number(flaky)} flaky`] : [])]
  const status = broken > 0 ? "broken" : flaky > 0 ? "flaky" : healthy > 0 ? "healthy" : null
  return {
    label: "tests",
    text: status === null ? "no runs" : parts.length === 0 ? `${number(healthy)} healthy` : parts.join(", "),
    title:
      status === null
        ? "Tests: none has run in the last 30 days"
        : `Tests: ${number(healthy)} healthy, ${number(flaky)} flaky, ${number(broken)} broken`,
    status
  }
}

/** The badge of a test: its health. */
export const ofTest = (status: HealthStatus.HealthStatus): Badge => ({
  label: "test",
  text: status,
  title: `Test: ${status}`,
  status
})

/**
 * A badge as an SVG document.
 *
 * **Details**
 *
 * White text on its colour has a contrast of at least 4.5 to 1. The widths are those of a common font, and the text is
 * made to fit into them whatever font a reader has.
 */
export const toSvg = ({ label, status, text, title }: Badge): string => {
  const [labelWidth, textWidth] = [widthOf(label), widthOf(text)]
  const left = labelWidth + 2 * margin
  const shapeWidth = status === null ? 0 : 14
  const width = left + shapeWidth + textWidth + 2 * margin
  const color = status === null ? "#55626c" : colors[status]
  const written = (value: string, x: number, length: number) =>
    `<text x="${x}" y="14" textLength="${length}" lengthAdjust="spacingAndGlyphs">${escaped(value)}</text>`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" viewBox="0 0 ${width} 20" `,
    `role="img" aria-labelledby="title"><title id="title">${escaped(title)}</title>`,
    `<rect width="${width}" height="20" rx="4" fill="#39434a"/>`,
    `<path d="M${left} 0h${width - left - 4}a4 4 0 0 1 4 4v12a4 4 0 0 1-4 4H${left}z" fill="${color}"/>`,
    status === null ? "" : `<path transform="translate(${left + margin} 5)" fill="#fff" d="${shapes[status]}"/>`,
    `<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">`,
    written(label, margin, labelWidth),
    written(text, left + margin + shapeWidth, textWidth),
    `</g></svg>\n`
  ].join("")
}

const margin = 7

const colors: { readonly [S in HealthStatus.HealthStatus]: string } = {
  healthy: "#11692f",
  flaky: "#a35200",
  broken: "#b42323"
}

/** The shapes of the dashboard, ten units wide. */
const shapes: { readonly [S in HealthStatus.HealthStatus]: string } = {
  healthy: "M5 1a4 4 0 1 0 0 8 4 4 0 0 0 0-8z",
  flaky: "M5 0l5 5-5 5-5-5z",
  broken: "M1 1h8v8H1z"
}

const number = (value: number): string => value.toLocaleString("en")

/** How wide a text is in Verdana of 11 pixels, roughly. */
const widthOf = (text: string): number => Math.ceil([...text].reduce((sum, each) => sum + advanceOf(each), 0))

const advanceOf = (character: string): number => {
  if (/[ijl,.\s]/u.test(character)) return 3.8
  if (/[frt]/u.test(character)) return 4.5
  return /[mw]/u.test(character) ? 10 : 6.8
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")
