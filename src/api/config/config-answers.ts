import { Cache } from '../../base/cache.ts';
import { etagOf } from '../../http/etag.ts';
import type { Representation } from '../respond.ts';
import type { ConfigSource } from './config-dependencies.ts';
import { type ConfigEntityType, configJson } from './config-json.ts';

const MAX_BYTES = 4 * 1024 * 1024;

/** The answer about a part of the content model, by its id; undefined if there is no such part. */
export type FindConfigAnswer = (type: ConfigEntityType, id: string) => Representation | undefined;

/**
 * Answers about a content model, each made when it is first asked for and then kept: a loader asks for a hundred of them
 * one after the other before it begins. What is not in the model is not kept, so that nobody can fill the memory.
 */
export function createConfigAnswers(source: ConfigSource): FindConfigAnswer {
  const made = new Cache<Representation>({ maxBytes: MAX_BYTES, bytesOf: ({ body }) => body.length });
  return (type, id) => {
    const key = `${type}.${id}`;
    const kept = made.get(key);
    if (kept !== undefined) return kept;
    const found = configJson(source, type, id);
    if (found === undefined) return undefined;
    const body = JSON.stringify(found);
    const answer: Representation = { body, etag: etagOf(body), changed: undefined };
    made.set(key, answer);
    return answer;
  };
}
