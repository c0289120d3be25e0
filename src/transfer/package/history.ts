import type { JsonObject, JsonValue } from '../../base/json.ts';
import { ENTITY_TYPES, type EntityType } from '../../model/content-model.ts';
import type { Content } from '../../repository/content/content.ts';
import { findRevision, listRevisions, type Revision } from '../../repository/revisions/revisions.ts';
import { contentJson } from '../../representation/content-json.ts';
import type { PackageFile } from '../files/package.ts';
import { jsonFile } from '../files/package.ts';
import type { LoadContext } from '../table/table-options.ts';
import { documentPath } from './package-layout.ts';

/** Ids of the targets of references, by type. */
type ReferredIds = Readonly<Record<EntityType, ReadonlySet<number>>>;

/** A revision of content. */
export interface State {
  readonly created: number;
  readonly userId: number | null;
  readonly log: string | null;
  readonly path: string;
  readonly file: PackageFile;
  readonly refersTo: ReferredIds;
}

/** Returns the revisions of content, oldest first; only the current one if the actor may not view revisions. */
export async function historyOf({ services, actor }: LoadContext, content: Content): Promise<State[]> {
  const { kind, head } = content;
  const all = await listRevisions(services, kind, head.id, { limit: -1, offset: 0 });
  const maySee = kind.access.viewRevisions(actor, head).isAllowed;
  const states: State[] = [];
  for (const revision of all.reverse()) {
    if (!maySee && revision.id !== head.revisionId) continue;
    const then = await findRevision(services, content, revision.id);
    if (then !== undefined) states.push(stateOf(then, revision, { services, actor }));
  }
  return states;
}

function stateOf(
  content: Content,
  { created, userId, log }: Revision,
  context: Pick<LoadContext, 'services' | 'actor'>,
) {
  const document = documentJson(content, context);
  const path = documentPath(content.kind.type, String((document.uuid as [{ value: string }])[0].value));
  return { created, userId, log, path, file: jsonFile(document), refersTo: referredIn(document) };
}

/** Returns content as the API does, with root-relative addresses. */
export function documentJson(content: Content, { actor }: Pick<LoadContext, 'actor'>): JsonObject {
  // What rules close today is no fact about the content.
  const { access_rights: _, ...members } = JSON.parse(contentJson(content, { actor, baseUrl: '' })) as JsonObject;
  return members;
}

/** Returns the targets of a document, except its thumbnail: that is the file of the media or the generic icon. */
export function referredIn(document: JsonObject): ReferredIds {
  const ids = Object.fromEntries(ENTITY_TYPES.map((type) => [type, new Set<number>()])) as unknown as Record<
    EntityType,
    Set<number>
  >;
  for (const [name, items] of Object.entries(document)) {
    if (name === 'thumbnail' || !Array.isArray(items)) continue;
    for (const item of items) note(ids, item);
  }
  return ids;
}

function note(ids: Record<EntityType, Set<number>>, item: JsonValue): void {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return;
  const { target_type, target_id } = item;
  if (typeof target_id === 'number' && typeof target_type === 'string' && Object.hasOwn(ids, target_type))
    ids[target_type as EntityType].add(target_id);
}
