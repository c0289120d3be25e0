import type { ContentType } from '../access-rule.ts';
import { pathPrefix } from '../content/write-content.ts';

/** Content that an alias can stand for. */
export interface AliasTarget {
  readonly type: ContentType;
  readonly id: number;
}

const TYPES: readonly ContentType[] = ['node', 'media', 'taxonomy_term'];
const ID = /^[1-9]\d{0,14}$/;

/** What a canonical path names, such as `/node/12`; undefined for any other path. Whether it exists is not looked at. */
export function aliasTarget(path: string): AliasTarget | undefined {
  const type = TYPES.find((each) => path.startsWith(pathPrefix(each)));
  const id = type === undefined ? '' : path.slice(pathPrefix(type).length);
  return type !== undefined && ID.test(id) ? { type, id: Number(id) } : undefined;
}
