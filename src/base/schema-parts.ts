import { type TProperties, Type as t } from '@sinclair/typebox';

/**
 * The parts of the schemas of configuration files. Each `description` completes the sentence "x must be …" of an error
 * message.
 */

/** A map with these keys only. */
export const closed = <Properties extends TProperties>(properties: Properties, description: string) =>
  t.Object(properties, { additionalProperties: false, description });
export const text = (description: string) => t.String({ minLength: 1, description });
export const flag = () => t.Boolean({ description: 'true or false' });
/** A map whose values are checked one by one. */
export const mapOf = (description: string) => t.Record(t.String(), t.Unknown(), { description });
