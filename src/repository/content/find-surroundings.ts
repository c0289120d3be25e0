import type { InValue } from '@libsql/client';
import type { Database } from '../../database/database.ts';
import type { MediaType } from '../../model/content-model.ts';
import type { ContentFacts } from '../access-rule.ts';
import type { Actor } from '../actor.ts';
import type { ParsedContent } from './content.ts';
import type { ContentKinds } from './kinds.ts';
import { KnownTerms } from './known-terms.ts';
import { type Named, namedIn } from './named-in.ts';
import {
  type FactsRow,
  type FileRow,
  type MediaRow,
  readLinked,
  type TermRow,
  toFile,
  toMediaNeighbour,
  toNeighbour,
} from './neighbour-rows.ts';
import type {
  AttachedMedia,
  Neighbour,
  SourceFile,
  Surroundings,
  SurroundingsAnswer,
  SurroundingsQuestion,
  WantedMedia,
} from './surroundings.ts';
import { type ByIds, FILE, mediaById, mediaOf, NODES, withTerms } from './surroundings-queries.ts';
import { visibleByStatus } from './visible-rows.ts';

/**
 * Finds what stands beside content, in three steps: whoever knows the answer to the same question, in the same
 * generation of the database, knows the surroundings already.
 */
export interface FindSurroundings {
  ask(content: ParsedContent, actor: Actor, wanted: WantedMedia): SurroundingsQuestion;
  read(question: SurroundingsQuestion): Promise<SurroundingsAnswer>;
  build(
    content: ParsedContent,
    actor: Actor,
    question: SurroundingsQuestion,
    answer: SurroundingsAnswer,
  ): Promise<Surroundings>;
}

export interface SurroundingsOptions {
  readonly kinds: ContentKinds;
  readonly mediaTypes: ReadonlyMap<string, MediaType>;
}

interface LinkedMedia {
  readonly media: MediaRow;
  readonly useIds: readonly number[];
  readonly file: SourceFile | undefined;
}

/**
 * Prepares the reading of surroundings: one query whatever the number of links. Terms that are not remembered are a
 * second one in a file; on a server, where that would be another round trip, they are brought along by the first.
 */
export function createFindSurroundings(database: Database, options: SurroundingsOptions): FindSurroundings {
  const { kinds, mediaTypes } = options;
  const knownTerms = new KnownTerms(database);
  const mediaQueryById = mediaById(mediaTypes);
  const mediaQuery = mediaOf(mediaTypes);
  const mediaQueries = new Map<string, string>();
  const queriesWithTerms = new Map<string, string>();

  return {
    ask(content, actor, wanted) {
      const asked = new Asked();
      const named = namedIn(content);
      const columns = {
        node: askForFacts(asked, named, 'node', NODES),
        media: askForFacts(asked, named, 'media', mediaQueryById),
        file: askForFile(asked, content),
        attached: askForMedia(asked, content, actor, wanted),
      };
      const { sql, args, width } = asked;
      const termIds = database.isDistant ? knownTerms.missing(termsAmong(named)) : [];
      return { sql, args, width, maxMedia: wanted.limit, columns: withoutUndefined(columns), termIds };
    },

    async read(question) {
      const { sql, args, width, termIds } = question;
      const terms = knownTerms.forAnswer();
      const whole = database.isDistant ? bringingTerms(question) : undefined;
      if (whole === undefined && sql === '') return { texts: [], terms: () => terms };
      const row = await database.first(whole ?? sql, whole ? [...args, JSON.stringify(termIds)] : [...args]);
      const texts = Array.from((row ?? []) as ArrayLike<unknown>, (text) => String(text ?? ''));
      const [generation, brought] = texts.splice(width);
      return {
        texts,
        terms() {
          if (brought !== undefined) terms.add(JSON.parse(brought) as TermRow[], Number(generation));
          return terms;
        },
      };
    },

    async build(content, actor, { columns, maxMedia }, { texts, terms }) {
      const named = namedIn(content);
      const linked = linkedAt(texts, columns.attached);
      const targetMedia = linkedAt(texts, columns.media);
      const known = terms();
      await known.complete(termsAmong(named, [...linked, ...targetMedia]));
      const findTerm = known.find;
      const mayView = (neighbour: Neighbour) => {
        const { bundles, access } = kinds[neighbour.type];
        return bundles.has(neighbour.bundle) && access.view(actor, neighbour).isAllowed;
      };
      const attach = (all: readonly LinkedMedia[], node?: ContentFacts) => attachedMedia(all, node, findTerm, mayView);
      const nodes = new Map(listAt<FactsRow>(texts, columns.node).map((row) => [row[0], toNeighbour('node', row)]));
      const media = attach(targetMedia);
      const find = {
        taxonomy_term: findTerm,
        node: (id: number) => nodes.get(id),
        media: (id: number) => media.get(id),
      };
      const targets: { field: string; target: Neighbour }[] = [];
      for (const { field, type, id } of named) {
        const target = find[type](id);
        if (target !== undefined && mayView(target)) targets.push({ field, target });
      }
      const fileText = columns.file === undefined ? '' : (texts[columns.file] ?? '');
      return {
        targets,
        media: [...attach(linked.slice(0, maxMedia), content.head).values()],
        hasMoreMedia: linked.length > maxMedia,
        file: fileText === '' ? undefined : toFile(JSON.parse(fileText) as FileRow),
      };
    },
  };

  /** Of a media: the file that it wraps. */
  function askForFile(asked: Asked, { kind, bundle, members }: ParsedContent): number | undefined {
    const source = kind.type === 'media' ? mediaTypes.get(bundle.name)?.sourceField : undefined;
    const id = source?.targetType === 'file' ? members[source.name]?.[0]?.target_id : undefined;
    return typeof id === 'number' ? asked.add(FILE, id) : undefined;
  }

  /** Of a node: the media that refer to it, as far as the actor may see any. */
  function askForMedia(
    asked: Asked,
    { kind, head }: ParsedContent,
    actor: Actor,
    { limit, offset }: WantedMedia,
  ): number | undefined {
    const { published, unpublished } = kinds.media.access.visibility(actor);
    if (kind.type !== 'node' || (!published && unpublished === 'none')) return undefined;
    // The media follow this node, which the caller may view.
    const visible = visibleByStatus(kinds.media, actor, 'm');
    let sql = mediaQueries.get(visible.sql);
    if (sql === undefined) {
      sql = mediaQuery(visible.sql);
      mediaQueries.set(visible.sql, sql);
    }
    return asked.add(sql, head.id, ...visible.args, limit + 1, offset);
  }

  /** The query that brings terms along; undefined where there is none that the row could name. */
  function bringingTerms({ sql, width, columns, termIds }: SurroundingsQuestion): string | undefined {
    const media = [columns.media, columns.attached].filter((index) => index !== undefined);
    if (media.length === 0 && termIds.length === 0) return undefined;
    const key = `${media.join()} ${sql}`;
    let query = queriesWithTerms.get(key);
    if (query === undefined) {
      query = withTerms(sql, width, media);
      queriesWithTerms.set(key, query);
    }
    return query;
  }
}

/** The ids of the terms among what is referred to, and of those that media are used as. */
function termsAmong(named: readonly Named[], linked: readonly LinkedMedia[] = []): number[] {
  const ids: number[] = [];
  for (const { type, id } of named) if (type === 'taxonomy_term') ids.push(id);
  for (const { useIds } of linked) ids.push(...useIds);
  return ids;
}

/** A row that is being asked for. */
class Asked {
  sql = '';
  readonly args: InValue[] = [];
  width = 0;

  /** Adds a column; answers its index. */
  add(column: string, ...values: InValue[]): number {
    this.sql += this.sql === '' ? `SELECT ${column}` : `, ${column}`;
    this.args.push(...values);
    return this.width++;
  }
}

function askForFacts(asked: Asked, named: readonly Named[], type: 'node' | 'media', query: ByIds): number | undefined {
  const ids: number[] = [];
  for (const each of named) if (each.type === type) ids.push(each.id);
  if (ids.length < 2) return ids[0] === undefined ? undefined : asked.add(query.one, ids[0]);
  return asked.add(query.among, JSON.stringify(ids));
}

function withoutUndefined(columns: Record<string, number | undefined>): SurroundingsQuestion['columns'] {
  return Object.fromEntries(Object.entries(columns).filter(([, index]) => index !== undefined));
}

function listAt<Row>(texts: readonly string[], index: number | undefined): Row[] {
  return index === undefined ? [] : (JSON.parse(texts[index] || '[]') as Row[]);
}

function linkedAt(texts: readonly string[], index: number | undefined): LinkedMedia[] {
  return listAt<MediaRow>(texts, index).map((media) => ({ media, ...readLinked(media[5]) }));
}

/**
 * Returns each media once, even if it names its node twice. Callers who may view a media may read its file. `node` is
 * the node through which the media were found.
 */
function attachedMedia(
  linked: readonly LinkedMedia[],
  node: ContentFacts | undefined,
  findTerm: (id: number) => Neighbour | undefined,
  mayView: (neighbour: Neighbour) => boolean,
): Map<number, AttachedMedia> {
  const found = new Map<number, AttachedMedia>();
  for (const { media, useIds, file } of linked) {
    const uses: Neighbour[] = [];
    for (const id of useIds) {
      const use = findTerm(id);
      if (use !== undefined && mayView(use)) uses.push(use);
    }
    const neighbour = toMediaNeighbour(media, node);
    if (mayView(neighbour)) found.set(neighbour.id, { ...neighbour, uses, file });
  }
  return found;
}
