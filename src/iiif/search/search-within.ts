import { Cache } from '../../base/cache.ts';
import { madeOnce } from '../../base/made-once.ts';
import type { RecognizedPage } from '../../base/recognized-text/text-page.ts';
import type { Actor } from '../../repository/actor.ts';
import { findShowableNodes, listMemberIds, type ShowableFile } from '../../repository/content/lists/find-showable.ts';
import type { Services } from '../../repository/content/services.ts';
import { measureFiles } from '../../repository/files/measure-files.ts';
import type { Schemes } from '../../repository/files/scheme.ts';
import { findRecognized } from '../../repository/search/find-recognized.ts';
import { canvasMediaOf } from '../presentation/choose-canvas-media.ts';
import { recognizedTextOf } from '../presentation/media-uses.ts';
import { MAX_RECOGNIZED_BYTES, readRecognizedFile } from '../presentation/read-recognized.ts';
import { canvasId } from '../presentation/resource.ts';
import { canvasSize, filesToMeasure } from '../presentation/sizes.ts';
import { findMatches } from './find-matches.ts';
import { parseTerms } from './search-terms.ts';
import type { CanvasMatches, WithinResult } from './within-result.ts';

/** The number of canvases on a page of a result. */
const CANVASES_PER_PAGE = 20;

/** A search within an item. */
export interface WithinSearch {
  readonly nodeId: number;
  readonly query: string;
  /** The canvases that are searched: those of the manifest of a node with pages, of any other node, or the node's own. */
  readonly scope: 'pages' | 'any' | 'own';
  /** The page of the result, from 0. Undefined for the first one, or the one with `shows`. */
  readonly page: number | undefined;
  /** The node whose canvas the page of the result has, if the canvas matches. */
  readonly shows?: number | undefined;
}

interface WithinSource {
  readonly services: Services;
  readonly actor: Actor;
  readonly baseUrl: string;
  /** Returns those of some nodes, in any order, that match a condition in the language of FTS5. */
  matching(condition: string, ids: readonly number[]): Promise<readonly number[]>;
}

/**
 * Finds the places of words in the recognized text of an item, as far as the actor may view it. The index tells which
 * canvases have them; only the files of one page of the result are read. Throws `malformed` for a query that is too long,
 * and as `matching`.
 */
export async function searchWithin(source: WithinSource, search: WithinSearch): Promise<WithinResult> {
  const { services, actor, baseUrl } = source;
  const terms = parseTerms(search.query);
  const ids = terms.length === 0 ? [] : await searchedIds(source, search);
  const condition = `fulltext : (${terms.map((term) => term.condition).join(' AND ')})`;
  const matching = new Set(ids.length === 0 ? [] : await source.matching(condition, ids));
  const recognized = await findRecognized(
    services,
    actor,
    ids.filter((id) => matching.has(id)),
  );
  const pages = Math.max(1, Math.ceil(recognized.length / CANVASES_PER_PAGE));
  const shown = search.shows === undefined ? -1 : recognized.indexOf(search.shows);
  const page = search.page ?? Math.max(0, Math.floor(shown / CANVASES_PER_PAGE));
  const start = page * CANVASES_PER_PAGE;
  const nodes = await findShowableNodes(services, actor, recognized.slice(start, start + CANVASES_PER_PAGE));
  const showable = nodes.flatMap((node) => canvasMediaOf(node) ?? []);
  const measured = await measureFiles(services, filesToMeasure(showable));
  const canvases: CanvasMatches[] = [];
  for (const each of showable) {
    const size = canvasSize(each, (file) => measured.get(file.id));
    const text = recognizedTextOf(each.node.media);
    if (size === undefined || text === undefined) continue;
    const recognizedPage = await recognizedPages(services).read(text.file);
    const matches = findMatches(recognizedPage, terms);
    const id = canvasId(baseUrl, each.node.id, each.original.id);
    if (matches.length > 0) canvases.push({ id, node: each.node, size, page: recognizedPage, matches });
  }
  return { canvases, page, pages };
}

/** Returns the nodes that the canvases of a manifest show, in its order. */
async function searchedIds({ services, actor }: WithinSource, { nodeId, scope }: WithinSearch): Promise<number[]> {
  if (scope === 'own') return [nodeId];
  const members = await listMemberIds(services, actor, nodeId);
  return scope === 'pages' && members.length > 0 ? members : [nodeId, ...members];
}

/** Some 300 pages of a book, so that the requests of one search parse each page once. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_ENTRY_BYTES = 4 * 1024 * 1024;

/** The recognized text of pages, parsed once. */
interface RecognizedPages {
  /** Returns the text of a file; without lines for a file that is too large or too complex to be read. */
  read(file: ShowableFile): Promise<RecognizedPage>;
}

const NOTHING: RecognizedPage = { box: undefined, lines: [] };

/** Returns the texts of a repository, the same for all requests. */
const recognizedPages = madeOnce(createRecognizedPages);

function createRecognizedPages(services: Schemes): RecognizedPages {
  const cache = new Cache<{ readonly page: RecognizedPage; readonly bytes: number }>({
    maxBytes: MAX_BYTES,
    maxEntryBytes: MAX_ENTRY_BYTES,
    // A parsed page takes about as much as its file.
    bytesOf: ({ bytes }) => bytes,
  });
  return {
    async read(file) {
      if (file.bytes > MAX_RECOGNIZED_BYTES) return NOTHING;
      // A stored object never changes.
      const known = cache.get(file.storageKey);
      if (known !== undefined) return known.page;
      const page = (await readRecognizedFile(services, file)) ?? NOTHING;
      cache.set(file.storageKey, { page, bytes: file.bytes });
      return page;
    },
  };
}
