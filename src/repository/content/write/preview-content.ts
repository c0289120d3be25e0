import type { Bundle } from '../../../model/content-model.ts';
import type { Actor } from '../../actor.ts';
import { type Content, documentOf } from '../content.ts';
import type { SubmittedValues } from '../fill/check-values.ts';
import type { ResolveOptions } from '../fill/resolve-references.ts';
import type { ContentKind } from '../kinds.ts';
import type { Services } from '../services.ts';
import { type CheckedPlan, decideChange, decideNew } from './decide-content.ts';
import { fillMedia, type UpdateOptions } from './save-content.ts';

/**
 * Returns the content that `createContent` would save, and saves nothing. Its id is 0. Throws as `createContent` does,
 * except for what only the transaction knows, such as an alias in use.
 */
export async function previewNew(
  services: Services,
  actor: Actor,
  kind: ContentKind,
  bundle: Bundle,
  values: SubmittedValues,
  options: Pick<ResolveOptions, 'newTargets'> = {},
): Promise<Content> {
  const decided = await decideNew(services, actor, kind, bundle, values, options);
  await fillMedia(services, decided, undefined);
  return asContent(decided);
}

/** Returns the content that `changeContent` would save, and saves nothing. Throws as `previewNew` does. */
export async function previewChange(
  services: Services,
  actor: Actor,
  values: SubmittedValues,
  { read, check, newTargets = [] }: Pick<UpdateOptions, 'read' | 'check' | 'newTargets'>,
): Promise<Content> {
  const content = await read();
  check(content);
  const decided = await decideChange(services, actor, content, values, { newTargets });
  if (decided === undefined) return content;
  await fillMedia(services, decided, decided.stored.values);
  return asContent(decided);
}

function asContent({ kind, bundle, draft, values }: CheckedPlan): Content {
  return { kind, bundle, head: draft, document: documentOf(kind, draft, values) };
}
