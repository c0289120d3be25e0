import { ServiceError } from '../../base/errors.ts';
import type { FieldValues } from '../../model/content-model.ts';
import { termUriAccess } from '../access.ts';
import type { Actor } from '../actor.ts';
import type { Services } from '../services.ts';
import { uriRows } from './index-rows.ts';
import type { ContentKind } from './kinds.ts';

/** Throws `forbidden` if a term gains or loses a URI of the configuration and the actor lacks the permission. */
export function checkTermUris(
  { configuredUris }: Pick<Services, 'configuredUris'>,
  actor: Actor,
  kind: ContentKind,
  before: FieldValues,
  after: FieldValues,
): void {
  const [lost, gained] = [urisOf(kind, before), urisOf(kind, after)];
  const access = termUriAccess(actor, lost.symmetricDifference(gained), configuredUris);
  if (!access.isAllowed) throw new ServiceError('forbidden', access.reason);
}

function urisOf(kind: ContentKind, values: FieldValues): Set<string> {
  return new Set(uriRows(kind, values).map(([, , uri]) => uri));
}
