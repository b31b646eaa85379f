/** The rule publishes no types; its CommonJS module holds the rule as `default`. */
declare module "textlint-rule-prh" {
  import type { TextlintRuleModule } from "@textlint/kernel"
  const module: { readonly default: TextlintRuleModule }
  export default module
}
