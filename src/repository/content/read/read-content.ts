import { Cache } from '../../../base/cache.ts';
import type { Database } from '../../../database/database.ts';
import type { Dated } from '../../../database/dated.ts';
import type { ContentModel } from '../../../model/content-model.ts';
import { type Access, ALLOWED, type ContentType } from '../../access-rule.ts';
import type { Actor } from '../../actor.ts';
import { type Content, type ParsedContent, parseDocument } from '../content.ts';
import type { FindContent } from './find-content.ts';
import { type FindSurroundings, NO_QUESTION, type SurroundingsQuestion, withEveryMedia } from './find-surroundings.ts';
import { type AttachedMedia, NO_SURROUNDINGS, type Surroundings } from './surroundings.ts';

/** Maximum number of a node's media to read unless all are wanted: a Link header holds no more. */
export const MAX_LINKED_MEDIA = 100;
const FIRST_MEDIA = { limit: MAX_LINKED_MEDIA, offset: 0 };

const MAX_BYTES = 16 * 1024 * 1024;
const MAX_ENTRY_BYTES = 64 * 1024;

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
export interface FoundContent {
  readonly content: Content;
  /** The actor's access. Without it, the surroundings are empty. */
  readonly access: Access;
  /** True if it has links besides the core links (setting `allow_header_links`). */
  readonly hasLinks: boolean;
  readonly surroundings: Surroundings;
  /** Returns the content with its document parsed, once. */
  readonly parsed: () => ParsedContent;
  /** Equal for unchanged results; undefined if that is unknown. */
  readonly validator: number | undefined;
}

/** A read that started before the caller was identified. Its result must not be shown before that. */
export interface BegunRead {
  readonly type: ContentType;
  readonly id: number;
  /** Returns the result once, so that a second read of the same request finds later changes. */
  take(): Promise<Start> | undefined;
}

/** The setting that turns links on. */
type LinkSettings = Dated<{ readonly allow_header_links: boolean }>;

interface Start {
  readonly content: Content | undefined;
  readonly settings: LinkSettings;
}

export interface ReadContent {
  /** Returns content with the surroundings that the actor may view; undefined if it does not exist. */
  read(query: ContentQuery): Promise<FoundContent | undefined>;
  /** Returns the same for written content, even if the actor may not view it. */
  complete(content: Content, query: Pick<ContentQuery, 'actor' | 'surroundings'>): Promise<FoundContent>;
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

/** A cached result with its sources. Parsed documents would take several times the memory. */
interface CachedContent extends Omit<FoundContent, 'parsed'> {
  readonly question: SurroundingsQuestion;
  /** The answer to the question, without terms. */
  readonly texts: readonly string[];
  /** The generation of its terms and settings. */
  readonly generation: number;
  /** The stamp of the database before the last validation (`Database.stamp`). */
  stamp: number | undefined;
}

/**
 * Creates the reader of content with its surroundings. A cached result is returned if the database is unchanged, or if
 * all of its sources were read again and are equal.
 */
export function createReadContent(parts: ReadContentParts): ReadContent {
  const { database, model, findContent, findSurroundings, findSettings } = parts;
  const cache = new Cache<CachedContent>({
    maxBytes: MAX_BYTES,
    maxEntryBytes: MAX_ENTRY_BYTES,
    bytesOf: bytesOfKnown,
  });
  let reads = 0;

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

  /** Reads the surroundings of content. Returns `previous` if nothing has changed. */
  async function surround(
    { content, settings }: Start & { content: Content },
    { actor, surroundings: wanted }: Pick<ContentQuery, 'actor' | 'surroundings'>,
    { access, parsed }: Pick<FoundContent, 'access' | 'parsed'>,
    previous?: CachedContent,
  ): Promise<CachedContent> {
    // Other processes may have changed a term or setting, which this one may not know yet.
    const generation = database.knownGeneration() ?? settings.generation;
    // The question may differ between generations.
    const known =
      previous?.generation === generation && isSameContent(previous.content, content) ? previous : undefined;
    const isWanted = access.isAllowed && isSurrounded(content, settings, wanted);
    const ask = () => (isWanted ? findSurroundings.ask(parsed(), actor, FIRST_MEDIA) : NO_QUESTION);
    const question = known?.question ?? ask();
    const answer = await findSurroundings.read(question);
    const { texts } = answer;
    if (known !== undefined && areSame(known.texts, texts)) return known;
    const surroundings = isWanted ? await findSurroundings.build(parsed(), actor, question, answer) : NO_SURROUNDINGS;
    // Settings and terms of different generations are valid, but belong to neither.
    const validator = settings.generation === generation ? ++reads : undefined;
    const read = { content, access, surroundings, hasLinks: hasLinks(content, settings), validator };
    // The terms are cached now.
    return { ...read, question: { ...question, termIds: [] }, texts, generation, stamp: undefined };
  }

  async function readWithEveryMedia({ type, id, actor, begun }: ContentQuery): Promise<FoundContent | undefined> {
    const { content, settings } = await (taken(begun, type, id) ?? start(type, id));
    if (content === undefined) return undefined;
    const access = content.kind.access.view(actor, content.head);
    const parsed = parsedOnce(content);
    const isWanted = access.isAllowed && hasLinks(content, settings);
    const surroundings = isWanted ? await withEveryMedia(findSurroundings, parsed(), actor) : NO_SURROUNDINGS;
    return { content, access, surroundings, hasLinks: hasLinks(content, settings), validator: undefined, parsed };
  }

  return {
    async read(query) {
      const { type, id, actor, surroundings } = query;
      if (surroundings === 'with every media') return readWithEveryMedia(query);
      // Permissions of roles are constant while the program runs.
      const key = `${type} ${id} ${surroundings} ${actor.id} ${actor.roles.join()}`;
      const known = cache.get(key);
      const begun = taken(query.begun, type, id);
      // The stamp must precede all reads. A read that has begun is older.
      const stamp = begun === undefined ? database.stamp() : undefined;
      if (known !== undefined && stamp !== undefined && known.stamp === stamp)
        return { ...known, parsed: parsedOnce(known.content) };
      const { content, settings } = await (begun ?? start(type, id));
      if (content === undefined) return undefined;
      const parsed = parsedOnce(content);
      const access = content.kind.access.view(actor, content.head);
      const present = await surround({ content, settings }, query, { access, parsed }, known);
      present.stamp = stamp;
      if (present !== known && present.validator !== undefined) cache.set(key, present);
      return { ...present, parsed };
    },
    async complete(content, query) {
      const parsed = parsedOnce(content);
      const settings = await findSettings();
      const read = await surround({ content, settings }, query, { access: ALLOWED, parsed });
      return { ...read, parsed, validator: undefined };
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

/** Returns true if content is unchanged. Nodes of media and hosts of paragraphs change without a new version. */
function isSameContent(one: Content, other: Content): boolean {
  return one.head.version === other.head.version && one.belonging === other.belonging;
}

function areSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((text, index) => text === others[index]);
}

/** Estimates the surroundings by the size of their texts. */
function bytesOfKnown({ content, texts }: CachedContent): number {
  return texts.reduce((sum, text) => sum + 2 * text.length, content.document.length);
}
