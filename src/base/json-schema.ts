/** A JSON schema (draft-07 keywords, and those of the validator). */
export type JsonSchema = Readonly<Record<string, unknown>>;
