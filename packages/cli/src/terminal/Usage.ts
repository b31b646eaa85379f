/** The messages about a wrong invocation: one line on stderr instead of a page of help. */
import { Console, type Layer } from "effect"
import { type CliError, CliOutput, type HelpDoc } from "effect/cli"

/** Shows help and version as usual, and a wrong invocation as one line. */
export const layer: Layer.Layer<never> = CliOutput.layerPresenter({
  present: (event) => {
    if (event._tag === "InvalidInvocation") {
      return Console.error(line(event.commandPath, event.errors, event.helpDoc))
    }
    return CliOutput.defaultPresenter.present(event._tag === "Help" ? { ...event, helpDoc: shortened(event) } : event)
  }
})

/** The flags of every command stand in the help of `lazaret` alone. */
const shortened = ({ commandPath, helpDoc }: CliOutput.Presenter.Help): HelpDoc.HelpDoc =>
  commandPath.length > 1 ? { ...helpDoc, globalFlags: [] } : helpDoc

/** All faults of an invocation in one line. */
const line = (
  path: ReadonlyArray<string>,
  errors: ReadonlyArray<CliError.NonShowHelpErrors>,
  help: HelpDoc.HelpDoc
): string => {
  const command = path.join(" ")
  // The flags of an unknown command are unknown, too: they are no fault of their own.
  const unknown = errors.filter((error) => error._tag === "UnknownSubcommand")
  const shown = unknown.length === 0 ? errors.filter(isOwnFault(errors)) : unknown
  return `${command}: ${shown.map((error) => sentence(error, help)).join(" ")} See ${command} --help`
}

/** The parser reads `--expires -5d` as a flag without a value and the flags `-5` and `-d`: the first is the fault. */
const isOwnFault = (errors: ReadonlyArray<CliError.NonShowHelpErrors>) => {
  const lacksValue = errors.some((error) => error._tag === "InvalidValue" && isMissing(error))
  return (error: CliError.NonShowHelpErrors): boolean =>
    !lacksValue || error._tag !== "UnrecognizedOption" || error.option.startsWith("--")
}

const isMissing = ({ kind, value }: CliError.InvalidValue): boolean => kind === "flag" && value === ""

const sentence = (error: CliError.NonShowHelpErrors, help: HelpDoc.HelpDoc): string => {
  switch (error._tag) {
    case "UnrecognizedOption":
      return `There is no flag ${error.option}.${suggestion(error.suggestions)}`
    case "UnknownSubcommand":
      return `There is no command ${error.subcommand}.${suggestion(error.suggestions)}`
    // The parser names the first missing flag only; others may be missing, too.
    case "MissingOption":
      return `The flag --${error.option} is missing${requiredFlags(help)}.`
    case "MissingArgument":
      return `The argument ${error.argument} is missing.`
    case "InvalidValue":
      return `${invalidValue(error)}.`
    default:
      return `${error.message.replaceAll(/\s+/g, " ").trim().replace(/\.$/, "")}.`
  }
}

/** A rule of our own flags is a whole sentence that begins with the value. */
const invalidValue = (error: CliError.InvalidValue): string => {
  const { expected, kind, option, value } = error
  if (isMissing(error)) return `--${option} has no value; one that begins with "-" is written --${option}=VALUE`
  const name = kind === "flag" ? `--${option}` : option
  if (expected.startsWith(`"${value}"`)) return `${name}: ${expected}`
  const kindOfValue = expected
    .replace(/^Expected:? /, "")
    .replace("a string representing a finite number", "a whole number")
  return `${name} is "${value}", expected ${kindOfValue.replace(/\.$/, "")}`
}

const suggestion = (names: ReadonlyArray<string>): string =>
  names.length === 0 ? "" : ` Did you mean ${names.join(" or ")}?`

const requiredFlags = ({ flags }: HelpDoc.HelpDoc): string => {
  const required = flags.filter((flag) => flag.required).map((flag) => `--${flag.name}`)
  return required.length < 2 ? "" : ` (required are ${required.join(", ")})`
}
