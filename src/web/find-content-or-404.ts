import type { ContentType } from '../repository/access-rule.ts';
import type { Content } from '../repository/content/content.ts';
import type { ContentInContext, SurroundingsScope } from '../repository/content/read/read-content.ts';
import type { Call } from './call.ts';

/** Returns the content that a path names. Throws 404 if it does not exist. */
export async function findOr404(call: Call, type: ContentType): Promise<Content> {
  const content = await call.findContent(type);
  if (content === undefined) throw call.notFound(type);
  return content;
}

/** Returns the content that a path names. Throws 404 if it does not exist, and 401 or 403 if the caller may not view it. */
export async function findShown(
  call: Call,
  type: ContentType,
  surroundings: SurroundingsScope,
): Promise<ContentInContext> {
  const entity = await call.readContent(type, surroundings);
  if (entity === undefined) throw call.notFound(type);
  call.allow(entity.access);
  return entity;
}
