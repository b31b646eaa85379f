/** The options of messages to people, which the server provides. */
import { Redaction } from "@lazaret/domain"
import { Context } from "effect"
import type * as Message from "./Message.ts"

/** The options of messages. Without a setting they have no links, and known forms of secrets are removed. */
export const MessageOptions: Context.Reference<Message.MessageOptions> = Context.Reference<Message.MessageOptions>(
  "@lazaret/services/MessageOptions",
  { defaultValue: () => ({ publicUrl: null, redact: Redaction.redact }) }
)
