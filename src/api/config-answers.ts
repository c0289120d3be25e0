import { etagOf } from '../http/etag.ts';
import type { ContentModel } from '../model/content-model.ts';
import { type ConfigEntityType, configJson } from '../representation/config-json.ts';
import type { Representation } from './respond.ts';

/** The answer about a part of the content model, by its id; undefined if there is no such part. */
export type FindConfigAnswer = (type: ConfigEntityType, id: string) => Representation | undefined;

/**
 * Answers about a content model, each made when it is first asked for and then kept: a loader asks for a hundred of them
 * one after the other before it begins. What is not in the model is not kept, so that nobody can fill the memory.
 */
export function createConfigAnswers(model: ContentModel): FindConfigAnswer {
  const made = new Map<string, Representation>();
  return (type, id) => {
    const key = `${type}.${id}`;
    const kept = made.get(key);
    if (kept !== undefined) return kept;
    const found = configJson(model, type, id);
    if (found === undefined) return undefined;
    const body = JSON.stringify(found);
    const answer: Representation = { body, etag: etagOf(body), changed: undefined };
    made.set(key, answer);
    return answer;
  };
}
