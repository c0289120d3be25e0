import type { Bundle } from '../../model/content-model.ts';
import type { ContentType } from '../../repository/access-rule.ts';
import type { SubmittedValues } from '../../repository/content/check-values.ts';
import { lenientBody } from '../lenient-body.ts';
import { KINDS } from './describe-content.ts';
import { parseBundle, parseFields } from './parse-content.ts';

/** What a write sends of content: its bundle, and the items of each field. */
export interface ContentBody {
  readonly bundle: Bundle;
  readonly values: SubmittedValues;
}

/**
 * Creates the schema of the envelope of content: the bundle, then items by the names of its fields. A field type checks
 * its items later, when what they refer to is known (`FieldType.violations`). A change keeps the bundle that its content
 * has, whichever valid one the body names (spec: rest-behaviour, 1.5).
 */
export function contentBody(type: ContentType, write: 'Create' | 'Change') {
  const [, create, change] = KINDS[type].shapes;
  return lenientBody(write === 'Create' ? create : change, (body, { api, found }): ContentBody => {
    const kind = api.kinds[type];
    const named = parseBundle(kind, body);
    const bundle = found?.bundle ?? named;
    return { bundle, values: parseFields(kind, bundle, body, api.services.fields.types) };
  });
}
