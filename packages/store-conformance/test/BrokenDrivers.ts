/** Every deliberately broken driver. */
import { ofAnswers } from "./broken/answers.ts"
import type { Broken } from "./broken/Broken.ts"
import { ofInsight } from "./broken/insight.ts"
import { ofReports } from "./broken/reports.ts"
import { ofRows } from "./broken/rows.ts"

/** Every broken driver: what they break of rows, of reports, of answers, and of insight. */
export const all: ReadonlyArray<Broken> = [...ofRows, ...ofReports, ...ofAnswers, ...ofInsight]
