import { Type as t } from '@sinclair/typebox';
import type { ServiceError } from '../../base/errors.ts';
import { validationFailed } from '../../repository/errors.ts';
import { unknownField } from '../content/parse-content.ts';

/** What each option must be, as errors name it. */
const MUST_BE = {
  action: 'the name of an action',
  node: 'the id of a node',
  restart: 'true or false',
  dry_run: 'true or false',
} as const;

const flag = (description: string) => t.Optional(t.Boolean({ description }));

/** The body of a request that continues a scan. */
export const ScanOptions = t.Object(
  {
    action: t.Optional(t.String({ minLength: 1, description: 'The one action of the rules whose derivatives count.' })),
    node: t.Optional(
      t.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The one node whose derivatives count. It is done with one request.',
      }),
    ),
    restart: flag('Whether to begin anew, and not to go on where a scan was broken off. For the first request only.'),
    dry_run: flag('Whether to count, and to queue nothing.'),
  },
  { additionalProperties: false, refuseBody: (body: object, invalid: readonly string[]) => refusal(body, invalid) },
);

/** Returns the error for a body with an unknown member, or with invalid ones: all of them at once. */
function refusal(body: object, invalid: readonly string[]): ServiceError {
  const unknown = Object.keys(body).find((name) => !Object.hasOwn(MUST_BE, name));
  if (unknown !== undefined) return unknownField(unknown, Object.keys(MUST_BE));
  return validationFailed(
    Object.entries(MUST_BE)
      .filter(([name]) => invalid.includes(name))
      .map(([path, words]) => ({ path, message: `This must be ${words}.` })),
  );
}
