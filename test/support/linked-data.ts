import jsonld from 'jsonld';
import { Parser } from 'n3';
import type { ContentType, LinkedType } from '../../src/repository/access-rule.ts';
import { type Content, type ParsedContent, parseDocument } from '../../src/repository/content/content.ts';
import { createKinds } from '../../src/repository/content/kinds.ts';
import { createFindContent } from '../../src/repository/content/read/find-content.ts';
import type {
  AttachedMedia,
  Neighbour,
  SourceFile,
  Surroundings,
} from '../../src/repository/content/read/surroundings.ts';
import type { Services } from '../../src/repository/content/services.ts';
import { createFindFile } from '../../src/repository/files/find-file.ts';

/** A resource as a graph has it. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into graphs of any schema
export type Resource = Record<string, any>;

/** The resources of a graph, the one that it is about first. */
export function resourcesOf(text: string): Resource[] {
  return JSON.parse(text)['@graph'];
}

/**
 * The statements of JSON-LD text, as two independent libraries read them: canonical N-Quads, sorted. Rejects where
 * something of the text is no statement and would be dropped, unless there are to be such strays.
 */
export async function statementsOf(text: string, strays: 'without strays' | 'with strays' = 'without strays') {
  const options = {
    algorithm: 'URDNA2015' as const,
    format: 'application/n-quads' as const,
    safe: strays === 'without strays',
    documentLoader: () => Promise.reject(new Error('a graph without context needs nothing from elsewhere')),
  };
  // Its types know neither `safe` nor that canonize answers text.
  const quads: unknown = await jsonld.canonize(JSON.parse(text), options);
  if (typeof quads !== 'string') throw new Error('there are no N-Quads');
  const lines = quads.split('\n').filter((line) => line !== '');
  const parsed = new Parser({ format: 'N-Quads' }).parse(quads);
  if (parsed.length !== lines.length) throw new Error(`${lines.length} lines hold ${parsed.length} statements`);
  return lines.toSorted();
}

/** Every value, and every class, that a graph has. Nothing of a graph is lost if it has as many statements. */
export function countValues(text: string): number {
  return resourcesOf(text).reduce((sum, { '@id': _id, ...said }) => sum + Object.values(said).flat().length, 0);
}

/** The lines of a fixture with what depends on the run filled in: `{node}` by the number of a node. */
export async function fixture(name: string, facts: Record<string, string | number>): Promise<string[]> {
  const text = await Bun.file(new URL(`../fixtures/json-ld/${name}`, import.meta.url)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const filled = lines.map((line) =>
    line.replace(/\{(\w+)\}/g, (_whole, key: string) => {
      if (!Object.hasOwn(facts, key)) throw new Error(`${name} speaks of {${key}}`);
      return String(facts[key]);
    }),
  );
  return filled.toSorted();
}

export interface Reader {
  find(type: ContentType, id: number): Promise<ParsedContent>;
  /** The surroundings of content for a caller who may see everything except the entities in `hides`. */
  around(content: ParsedContent, hides?: (target: Neighbour) => boolean): Promise<Surroundings>;
}

/** Reads content and its surroundings without asking who may see them. */
export function createReader({ database, model }: Services): Reader {
  const kinds = createKinds(model);
  const findContent = createFindContent(database, kinds);
  const files = createFindFile(database);

  async function find(type: ContentType, id: number): Promise<ParsedContent> {
    const content = await findContent(type, id);
    if (content === undefined) throw new Error(`there is no ${type} ${id}`);
    return parseDocument(content);
  }

  async function neighbour(type: LinkedType, id: number): Promise<Neighbour> {
    const { kind, head, members } = await find(type, id);
    const { bundle, ownerId, status, accessSet } = head;
    const uri = (field: string) => members[field]?.[0]?.uri as string | undefined;
    return {
      ...{ type, id, bundle, ownerId, status, accessSet, label: String(members[kind.labelMember ?? '']?.[0]?.value) },
      ...{ externalUri: uri('field_external_uri'), authorityUri: uri('field_authority_link') },
    };
  }

  async function sourceOf({ bundle, members, kind }: ParsedContent): Promise<SourceFile | undefined> {
    const field = kind.type === 'media' ? model.mediaTypes.get(bundle.name)?.sourceField.name : undefined;
    const id = field && members[field]?.[0]?.target_id;
    return id ? (await files.byId(Number(id)))?.row : undefined;
  }

  async function attached(id: number): Promise<AttachedMedia> {
    return { ...(await neighbour('media', id)), uses: [], file: await sourceOf(await find('media', id)) };
  }

  async function mediaOf(node: number): Promise<AttachedMedia[]> {
    const media: AttachedMedia[] = [];
    const { rows } = await database.client.execute('SELECT id FROM media ORDER BY id');
    for (const row of rows) {
      const content = await find('media', Number(row[0]));
      const { field_media_of: of = [] } = content.members;
      if (of[0]?.target_id !== node) continue;
      media.push(await attached(content.head.id));
    }
    return media;
  }

  return {
    find,
    async around(content, hides = () => false) {
      const targets: { field: string; target: Neighbour }[] = [];
      for (const [field, items] of Object.entries(content.members)) {
        for (const { target_type, target_id } of items) {
          if (target_type !== 'node' && target_type !== 'media' && target_type !== 'taxonomy_term') continue;
          const id = Number(target_id);
          const target = target_type === 'media' ? await attached(id) : await neighbour(target_type, id);
          if (!hides(target)) targets.push({ field, target });
        }
      }
      const media = content.kind.type === 'node' ? await mediaOf(content.head.id) : [];
      return { targets, media, hasMoreMedia: false, file: await sourceOf(content) };
    },
  };
}

/** Content under which a test puts values that no write would take. */
export function withMembers(content: Content, members: Record<string, unknown>): ParsedContent {
  return parseDocument({ ...content, document: JSON.stringify({ ...JSON.parse(content.document), ...members }) });
}
