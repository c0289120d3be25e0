import type { Database } from '../../../database/database.ts';
import type { ContentModel } from '../../../model/content-model.ts';
import { type Access, ALLOWED, type ContentType } from '../../access-rule.ts';
import type { Actor } from '../../actor.ts';
import { type Content, type ParsedContent, parseDocument } from '../content.ts';
import type { FindContent } from './find-content.ts';
import { type FindSurroundings, withEveryMedia } from './find-surroundings.ts';
import { type AttachedMedia, NO_SURROUNDINGS, type Surroundings } from './surroundings.ts';

/** Maximum number of a node's media to read unless all are wanted: a Link header holds no more. */
const MAX_LINKED_MEDIA = 100;
const FIRST_MEDIA = { limit: MAX_LINKED_MEDIA, offset: 0 };

/**
 * The surroundings to read: those for links, if there are such links; those for links in any case; or those for links
 * with every media of a node.
 */
export type SurroundingsScope = 'for links' | 'always' | 'with every media';

interface ContentQuery {
  readonly actor: Actor;
  readonly type: ContentType;
  readonly id: number;
  readonly surroundings: SurroundingsScope;
  /** The read that `begin` started. */
  readonly begun?: BegunRead | undefined;
}

/** Content with the data for its representations. */
export interface ContentInContext {
  readonly content: Content;
  /** The actor's access. Without it, the surroundings are empty. */
  readonly access: Access;
  /** True if it has links besides the core links (setting `allow_header_links`). */
  readonly hasLinks: boolean;
  readonly surroundings: Surroundings;
  /** Returns the content with its document parsed, once. */
  readonly parsed: () => ParsedContent;
}

/** A read that started before the caller was identified. Its result must not be shown before that. */
export interface BegunRead {
  readonly type: ContentType;
  readonly id: number;
  /** Returns the result once, so that a second read of the same request finds later changes. */
  take(): Promise<Start> | undefined;
}

/** The setting that turns links on. */
interface LinkSettings {
  readonly value: { readonly allow_header_links: boolean };
}

interface Start {
  readonly content: Content | undefined;
  readonly settings: LinkSettings;
}

export interface ReadContent {
  /** Returns content with the surroundings that the actor may view; undefined if it does not exist. */
  read(query: ContentQuery): Promise<ContentInContext | undefined>;
  /** Returns the same for written content, even if the actor may not view it. */
  complete(content: Content, query: Pick<ContentQuery, 'actor' | 'surroundings'>): Promise<ContentInContext>;
  /** Returns every media of a node that the actor may view. */
  everyMedia(node: ParsedContent, actor: Actor): Promise<readonly AttachedMedia[]>;
  /** Returns content without surroundings; undefined if it does not exist. */
  find(type: ContentType, id: number, begun?: BegunRead): Promise<Content | undefined>;
  /**
   * Starts a read for a request. On a database server it shares the round trip of simultaneous queries. A local
   * database would gain nothing: returns undefined.
   */
  begin(type: ContentType, id: number): BegunRead | undefined;
}

interface ReadContentParts {
  readonly database: Database;
  readonly model: ContentModel;
  readonly findContent: FindContent;
  readonly findSurroundings: FindSurroundings;
  readonly findSettings: () => Promise<LinkSettings>;
}

/** Creates the reader of content with its surroundings. */
export function createReadContent(parts: ReadContentParts): ReadContent {
  const { database, model, findContent, findSurroundings, findSettings } = parts;

  async function start(type: ContentType, id: number): Promise<Start> {
    const [content, settings] = await Promise.all([findContent(type, id), findSettings()]);
    return { content, settings };
  }

  /** Returns true if content has links besides the core links. Paragraphs have none. */
  const hasLinks = ({ kind }: Content, { value }: LinkSettings) =>
    value.allow_header_links && kind.type !== 'paragraph';

  /** Returns true if the surroundings are needed. Links of terms have targets only if they are configured. */
  function isSurrounded(content: Content, settings: LinkSettings, wanted: SurroundingsScope): boolean {
    const { kind, head } = content;
    if (wanted === 'always') return true;
    if (!hasLinks(content, settings)) return false;
    return wanted !== 'for links' || kind.type !== 'taxonomy_term' || model.signposting.taxonomy_term.has(head.bundle);
  }

  /** Adds the surroundings to content. */
  async function surround(
    { content, settings }: Start & { content: Content },
    { actor, surroundings: wanted }: Pick<ContentQuery, 'actor' | 'surroundings'>,
    access: Access,
  ): Promise<ContentInContext> {
    const parsed = parsedOnce(content);
    const entity = { content, access, parsed, hasLinks: hasLinks(content, settings) };
    if (!access.isAllowed || !isSurrounded(content, settings, wanted))
      return { ...entity, surroundings: NO_SURROUNDINGS };
    const surroundings =
      wanted === 'with every media'
        ? await withEveryMedia(findSurroundings, parsed(), actor)
        : await findSurroundings(parsed(), actor, FIRST_MEDIA);
    return { ...entity, surroundings };
  }

  return {
    async read(query) {
      const { type, id, actor, begun } = query;
      const { content, settings } = await (taken(begun, type, id) ?? start(type, id));
      if (content === undefined) return undefined;
      return surround({ content, settings }, query, content.kind.access.view(actor, content.head));
    },
    async complete(content, query) {
      return surround({ content, settings: await findSettings() }, query, ALLOWED);
    },
    async everyMedia(node, actor) {
      return (await withEveryMedia(findSurroundings, node, actor)).media;
    },
    async find(type, id, begun) {
      const read = taken(begun, type, id);
      return read === undefined ? findContent(type, id) : (await read).content;
    },
    begin(type, id) {
      if (!database.isDistant) return undefined;
      let started: Promise<Start> | undefined = start(type, id);
      // A refused request never awaits it.
      started.catch(() => {});
      const take = () => {
        const taken = started;
        started = undefined;
        return taken;
      };
      return { type, id, take };
    },
  };
}

/** Returns the read that has begun for content, once. */
function taken(begun: BegunRead | undefined, type: ContentType, id: number): Promise<Start> | undefined {
  return begun?.type === type && begun.id === id ? begun.take() : undefined;
}

function parsedOnce(content: Content): () => ParsedContent {
  let parsed: ParsedContent | undefined;
  return () => {
    parsed ??= parseDocument(content);
    return parsed;
  };
}
