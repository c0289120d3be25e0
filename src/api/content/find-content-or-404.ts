import type { ContentType } from '../../repository/access-rule.ts';
import type { Content } from '../../repository/content/content.ts';
import type { Call } from '../call.ts';

/** Returns the content that a path names. Throws 404 if it does not exist. */
export async function findOr404(call: Call, type: ContentType): Promise<Content> {
  const content = await call.findContent(type);
  if (content === undefined) throw call.notFound(type);
  return content;
}
