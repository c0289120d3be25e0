/** A JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [member: string]: JsonValue };
export type JsonObject = { [member: string]: JsonValue };
