import type { MediaType } from '../../model/content-model.ts';
import { MEDIA_USE_URI } from '../../model/media-use.ts';
import { mediaAccess, nodeAccess, replaceSourceAccess } from '../../repository/access.ts';
import { denied } from '../../repository/access-rule.ts';
import { atNode } from '../../repository/actor-at.ts';
import { refusedChange } from '../../repository/content/base-field.ts';
import { type Content, open } from '../../repository/content/content.ts';
import { listTerms } from '../../repository/content/lists/lists.ts';
import { type EntityChoice, findCollectionChoices, findTermChoices } from '../../repository/lists/list-choices.ts';
import { isAttachable } from '../../repository/media/media-type-of.ts';
import { RIGHTS_FIELD, TRACK_FIELD } from '../../repository/uploads/attach-target.ts';
import { nextWeight } from '../../repository/uploads/next-weight.ts';
import type { Call } from '../../web/call.ts';
import { findOr404 } from '../../web/find-content-or-404.ts';
import { itemType } from '../../web/read-target.ts';
import type { NewItemsData, UploadChoice, UploadEntries, UploadPageData } from './upload-data.ts';

/** The node or media of an upload page, with what the caller may do there. */
export interface UploadPlace {
  readonly of: 'node' | 'media';
  readonly content: Content;
  /** One or more; the usual one first. */
  readonly choices: readonly UploadChoice[];
}

/** Returns the node or media of a path. Throws 401 or 403 for a caller who may add nothing to it. */
export async function findUploadPlace(call: Call, of: 'node' | 'media'): Promise<UploadPlace> {
  const content = await findOr404(call, of);
  const choices = of === 'node' ? await choicesOfNode(call, content) : choicesOfMedia(call, content);
  call.allow(choices.length > 0 ? { isAllowed: true } : denied('You may not add files here.'));
  return { of, content, choices };
}

async function choicesOfNode(call: Call, node: Content): Promise<UploadChoice[]> {
  const { actor, api } = call;
  const { mediaTypes, models } = api.services.model;
  const there = atNode(actor, node.head);
  if (!actor.isAuthenticated || !mediaAccess.createAny(there, mediaTypes.keys()).isAllowed) return [];
  if (!nodeAccess.view(actor, node.head).isAllowed) return [];
  const uris = await modelUrisOf(call, node);
  const mayAddItems = nodeAccess.create(there, itemType(call).name).isAllowed;
  const isPaged = models.hasStructure(uris, 'paged');
  const ofMembers: UploadChoice[] = isPaged ? ['pages'] : ['items', 'book'];
  const members = mayAddItems ? ofMembers : [];
  const own: UploadChoice[] = nodeAccess.update(actor, node.head).isAllowed ? ['files'] : [];
  return isPaged || models.hasStructure(uris, 'collection') ? [...members, ...own] : [...own, ...members];
}

function choicesOfMedia(call: Call, media: Content): UploadChoice[] {
  if (!call.actor.isAuthenticated || !replaceSourceAccess(call.actor, media.head).isAllowed) return [];
  const type = media.bundle as MediaType;
  const source: UploadChoice[] = isAttachable(type) ? ['source'] : [];
  return type.fieldNamed.has(TRACK_FIELD) ? ['track', ...source] : source;
}

async function modelUrisOf({ api }: Call, node: Content): Promise<ReadonlySet<string>> {
  const ids = (open(node).values.field_model ?? []).map(({ target_id }) => Number(target_id));
  return api.services.derivatives.terms.of(ids);
}

/** Returns the data of an upload page. `entries` are those that were typed. */
export async function gatherUploadPage(
  call: Call,
  { of, content, choices }: UploadPlace,
  { entries = {}, problem }: { readonly entries?: Partial<UploadEntries>; readonly problem?: string } = {},
): Promise<UploadPageData> {
  const { api } = call;
  const { terms } = api.services.derivatives;
  const [first] = choices;
  const { models } = api.services.model;
  const [bookUri] = models.urisOf('paged');
  const [original, book, weight, uses] = await Promise.all([
    terms.first(MEDIA_USE_URI.original),
    bookUri === undefined ? undefined : terms.first(bookUri),
    of === 'node' ? nextWeight(api.services, content.head.id) : 0,
    of === 'node' ? usesOf(call) : [],
  ]);
  return {
    of,
    id: content.head.id,
    title: open(content).draft.label,
    choices: book === undefined ? choices.filter((each) => each !== 'book') : choices,
    uses,
    newItems: choices.some(isOfItems) ? await newItemsOf(call, content) : undefined,
    entries: {
      published: '1',
      model: '',
      collection: String(content.head.id),
      rights: '',
      choice: first ?? 'files',
      use: String(original?.id ?? ''),
      title: '',
      language: 'en',
      label: '',
      ...entries,
    },
    problem,
    formToken: call.formToken,
    maxBytes: api.maxUploadBytes,
    extensions: extensionsOf(call, content, choices),
    nextWeight: weight,
    ordersItems: of === 'node' && !models.hasStructure(await modelUrisOf(call, content), 'collection'),
    book: book && of === 'node' ? { type: itemType(call).name, model: book.id } : undefined,
  };
}

const isOfItems = (choice: UploadChoice) => choice === 'items' || choice === 'pages' || choice === 'book';

/** Returns what new items may have in common. */
async function newItemsOf(call: Call, content: Content): Promise<NewItemsData> {
  const { api, actor } = call;
  const type = itemType(call);
  const status = api.kinds.node.baseFieldNamed.get('status');
  const [models, collections] = await Promise.all([
    findTermChoices(api.services.database, type.fieldNamed.get('field_model')?.targetBundles ?? []),
    findCollectionChoices(api.services, actor),
  ]);
  const own = { id: content.head.id, label: open(content).draft.label };
  const others = (collections ?? []).filter(({ id }) => id !== own.id);
  const toChoice = ({ id, label }: EntityChoice) => ({ value: String(id), label });
  return {
    mayPublish: status !== undefined && refusedChange(status.create, atNode(actor, content.head)) === undefined,
    models: (models ?? []).map(toChoice),
    collections: others.length > 0 ? [own, ...others].map(toChoice) : [],
    hasRights: type.fieldNamed.has(RIGHTS_FIELD),
  };
}

/** Returns the terms of media use, by weight and then by name. */
async function usesOf(call: Call): Promise<{ id: number; label: string }[]> {
  const { api, actor } = call;
  const field = [...api.services.model.mediaTypes.values()].find(isAttachable)?.fieldNamed.get('field_media_use');
  const [vocabulary] = field?.targetBundles ?? [];
  if (vocabulary === undefined) return [];
  const batches = listTerms(api.services, api.kinds.taxonomy_term, vocabulary, actor, undefined);
  const terms = (await Array.fromAsync(batches)).flat();
  return terms.map((term) => ({ id: term.head.id, label: open(term).draft.label }));
}

function extensionsOf({ api }: Call, { bundle }: Content, choices: readonly UploadChoice[]): string[] {
  const types = [...api.services.model.mediaTypes.values()].filter(isAttachable);
  const fields = choices.flatMap((choice) => {
    if (choice === 'source') return (bundle as MediaType).sourceField;
    if (choice === 'track') return bundle.fieldNamed.get(TRACK_FIELD) ?? [];
    return types.map(({ sourceField }) => sourceField);
  });
  // A field without a list accepts every file.
  if (fields.some(({ fileExtensions = [] }) => fileExtensions.length === 0)) return [];
  return [...new Set(fields.flatMap(({ fileExtensions = [] }) => fileExtensions))].toSorted();
}
