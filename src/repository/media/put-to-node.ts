import type { InStatement } from '@libsql/client';
import type { MediaType } from '../../model/content-model.ts';
import type { Actor } from '../actor.ts';
import { type Content, open } from '../content/content.ts';
import { asSubmitted } from '../content/fill/check-values.ts';
import { targetOfNew } from '../content/fill/targets.ts';
import type { ContentKinds } from '../content/kinds.ts';
import type { FindContent } from '../content/read/find-content.ts';
import type { Services } from '../content/services.ts';
import { changeContent } from '../content/write/save-content.ts';
import { busyEntity } from '../errors.ts';
import { type Destination, parseDestination } from '../files/content-location.ts';
import { insertFile } from '../files/file-rows.ts';
import type { FindFile } from '../files/find-file.ts';
import { withFreeUri } from '../files/free-uri.ts';
import { type IngestedBytes, keepIf } from '../files/ingest.ts';
import type { Scheme } from '../files/scheme.ts';
import { schemeNamedBy, storeForNew } from '../files/scheme.ts';
import { findIdentity, forgetIdentities } from '../files/withdrawn-files.ts';
import { type Attachment, attachFile, failIfAttached, isTaken, matchingMedia, sourceItem } from './attach-file.ts';
import { replaceSource, sourceFile } from './replace-source.ts';

/** Maximum number of attempts of a PUT that loses races. */
const MAX_ATTEMPTS = 8;

export interface PutParts {
  readonly services: Services;
  readonly kinds: ContentKinds;
  readonly findContent: FindContent;
  readonly findFile: FindFile;
}

/** A PUT of a file to a node with a media use. */
export interface NodePut {
  readonly actor: Actor;
  readonly attachment: Attachment;
  readonly filemime: string;
  /** Returns the location of a new file. Called before the body is read, if there is no media to replace. */
  readonly destination: () => Destination;
  /** Stores the body in the storage of a scheme; `uri` is that of a new file. */
  readonly receive: (store: Scheme, uri?: string) => Promise<IngestedBytes>;
  /** Throws if the media must not be replaced. Called before the body is read, and for each attempt. */
  readonly check: (media: Content) => void;
  /** Creates the error for a media that was removed meanwhile. */
  readonly gone: () => Error;
  /** The first statements of the transaction. */
  readonly before?: readonly InStatement[];
  /** The actions that created a derivative. */
  readonly chain?: readonly string[];
  /** Called after the commit with each sentence for the person who replaces a file. */
  readonly note?: (notice: string) => void;
}

interface PutMedia {
  readonly media: Content;
  readonly isNew: boolean;
}

/**
 * Puts a file to a node (spec: rest-behaviour, 5.1 steps 6 to 12). Replaces the file of the media of that type and use
 * that the actor may view, or creates a media. The second of two concurrent requests replaces the file of the first.
 */
export async function putToNode(parts: PutParts, put: NodePut): Promise<PutMedia> {
  const matching = await findMatching(parts, put);
  const { visible } = matching;
  if (visible && hasSource(visible)) {
    const store = await storeForSource(parts, visible);
    put.check(visible);
    const media = await replaceWith(parts, put, visible, await put.receive(store));
    return { media, isNew: false };
  }
  const destination = visible ? await destinationAgain(parts, put, visible) : put.destination();
  if (visible) put.check(visible);
  const store = storeForNew(parts.services, destination.scheme);
  const ingested = await put.receive(store, destination.uri);
  return keepIf(ingested, () => create(parts, put, destination, matching, ingested));
}

/** Replaces the source of a media. Discards the new bytes if that fails. */
export function replaceWith(
  parts: PutParts,
  put: MediaReplacement,
  media: Content,
  ingested: IngestedBytes,
): Promise<Content> {
  return keepIf(ingested, () => replace(parts, put, media, ingested));
}

type MediaReplacement = Omit<NodePut, 'attachment' | 'destination' | 'receive'>;

function replace(
  { services, findContent, findFile }: PutParts,
  { actor, filemime, check, gone, before = [], chain = [], note }: MediaReplacement,
  media: Content,
  ingested: IngestedBytes,
): Promise<Content> {
  const read = async () => {
    const current = await findContent('media', media.head.id);
    if (current === undefined) throw gone();
    return current;
  };
  return replaceSource(services, { actor, ingested, filemime, findFile, read, check, before, chain, note });
}

/** Returns the scheme whose storage holds new bytes of a media's source. */
export async function storeForSource({ services, findFile }: PutParts, media: Content): Promise<Scheme> {
  const { row } = await sourceFile(media, findFile);
  return storeForNew(services, schemeNamedBy(services, row.uri));
}

async function create(
  parts: PutParts,
  put: NodePut,
  { uri }: Destination,
  matching: MediaMatches,
  ingested: IngestedBytes,
): Promise<PutMedia> {
  const { actor, attachment, filemime, before = [], chain = [] } = put;
  const { services, kinds } = parts;
  for (let attempt = 1; ; attempt++) {
    // If the first result is outdated, the commit fails.
    const { visible, hidden } = attempt === 1 ? matching : await findMatching(parts, put);
    if (visible && !hasSource(visible)) {
      const media = await addSource(parts, put, visible, { ingested, uri, filemime });
      return { media, isNew: false };
    }
    if (visible) {
      const { name } = await storeForSource(parts, visible);
      if (name !== ingested.store.name)
        throw busyEntity(`the store of the file is ${name}, that of the body ${ingested.store.name}`);
      return { media: await replace(parts, put, visible, ingested), isNew: false };
    }
    try {
      const options = { before: [...before, failIfAttached(attachment, hidden)], chain, anyBundle: true };
      const file = { ingested, uri, filemime };
      const media = await attachFile(services, actor, kinds.media, attachment, file, options);
      return { media, isNew: true };
    } catch (error) {
      if (!isTaken(error)) throw error;
      if (attempt === MAX_ATTEMPTS) throw busyEntity(error);
    }
  }
}

/** Returns the location of the next file of a media without one: that of its withdrawn file, if it had one. */
async function destinationAgain({ services }: PutParts, put: NodePut, media: Content): Promise<Destination> {
  const identity = await findIdentity(services.database, media.head.id);
  return identity ? parseDestination(services, identity.uri) : put.destination();
}

/** Adds a file to a media that has lost its own: that of a derivative whose source has changed, or a deleted one. */
async function addSource(
  { services, findContent }: PutParts,
  { actor, check, gone, before = [], chain = [], note }: Omit<NodePut, 'attachment' | 'destination' | 'receive'>,
  media: Content,
  { ingested, uri, filemime }: { readonly ingested: IngestedBytes; readonly uri: string; readonly filemime: string },
): Promise<Content> {
  const type = media.bundle as MediaType;
  const read = async () => {
    const current = await findContent('media', media.head.id);
    if (current === undefined) throw gone();
    if (hasSource(current)) throw busyEntity('the media has got another file');
    return current;
  };
  const identity = await findIdentity(services.database, media.head.id);
  const wanted = { uri, ...identity, ingested, filemime, madeBy: chain.at(-1) };
  return withFreeUri(services, wanted, (file) => {
    const values = asSubmitted(media, { [type.sourceField.name]: [sourceItem(type, file)] }, services.fields.types);
    return changeContent(services, actor, values, {
      ...{ read, check, chain, note, newTargets: [targetOfNew(actor, file)] },
      before: [...before, insertFile(services, actor, file, true), forgetIdentities(JSON.stringify([media.head.id]))],
    });
  });
}

/** Returns true if a media refers to a source file. */
function hasSource(media: Content): boolean {
  const { name } = (media.bundle as MediaType).sourceField;
  return (open(media).values[name] ?? []).length > 0;
}

interface MediaMatches {
  /** The first matching media that the actor may view. */
  readonly visible: Content | undefined;
  /** The ids of the matching media before it, which the actor may not view. */
  readonly hidden: readonly number[];
}

async function findMatching(
  { services, findContent }: PutParts,
  { actor, attachment }: Pick<NodePut, 'actor' | 'attachment'>,
): Promise<MediaMatches> {
  const hidden: number[] = [];
  for (const id of await matchingMedia(services, attachment)) {
    const media = await findContent('media', id);
    // The right to change the node suffices, even if the actor may not view it.
    const facts = media && { ...media.head, belongsTo: { nodes: [], hasLostNode: false } };
    if (media && facts && media.kind.access.view(actor, facts).isAllowed) return { visible: media, hidden };
    hidden.push(id);
  }
  return { visible: undefined, hidden };
}
