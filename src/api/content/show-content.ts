import type { ContentType } from '../../repository/access-rule.ts';
import type { FoundContent, WantedSurroundings } from '../../repository/content/read-content.ts';
import type { Call } from '../call.ts';
import { contentAnswer, linksetAnswer, surroundingsFor } from '../content-answer.ts';
import { representation } from '../respond.ts';

/** Answers a GET of content in the requested representation. */
export async function show(call: Call, type: ContentType): Promise<Response> {
  return representation(call, contentAnswer(call, await findShown(call, type, surroundingsFor(call.format))));
}

/** Answers a GET of all links of content. */
export async function showLinkset(call: Call, type: ContentType): Promise<Response> {
  return representation(call, linksetAnswer(call, await findShown(call, type, 'with every media')));
}

/** Returns the content that a path names. Throws 404 if there is none, and 401 or 403 if the caller may not view it. */
async function findShown(call: Call, type: ContentType, surroundings: WantedSurroundings): Promise<FoundContent> {
  const found = await call.readContent(type, surroundings);
  if (found === undefined) throw call.notFound(type);
  call.allow(found.access);
  return found;
}
