import { MEDIA_USE_URI } from '../../model/media-use.ts';
import { paths } from '../../paths.ts';
import { mediaAccess, replaceSourceAccess } from '../../repository/access.ts';
import {
  type AccessibilityProblem,
  countAccessibilityProblems,
  findAccessibilityProblems,
} from '../../repository/accessibility/find-accessibility-problems.ts';
import { findCardsOf } from '../../repository/content/lists/find-cards.ts';
import { findAllContent } from '../../repository/content/read/find-content.ts';
import { findCollectionChoices } from '../../repository/lists/list-choices.ts';
import { findListRows, type ListRow } from '../../repository/lists/list-rows.ts';
import { requireRecords } from '../../repository/search-index/require-records.ts';
import { type Call, parseId } from '../../web/call.ts';
import { parametersOf } from '../../web/formats.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import type { AccessibilityData, AccessibilityRow } from './accessibility-data.ts';
import { toChoice } from './find-choices.ts';
import { encoded } from './list-page-query.ts';

const PAGE_SIZE = 20;
const KINDS: readonly AccessibilityProblem[] = ['text', 'captions', 'language'];

/** The texts of a form that could not be saved. */
interface RejectedForm {
  readonly typed: ReadonlyMap<number, string>;
  readonly problems: readonly FormProblem[];
}

const NOTHING: RejectedForm = { typed: new Map(), problems: [] };

/** Returns the data of the report; after a failed form its pictures only. */
export async function gatherReport(
  call: Call,
  { typed, problems }: RejectedForm = NOTHING,
): Promise<AccessibilityData> {
  const { api, actor, request, identity } = call;
  const { services } = api;
  const query = parametersOf(request.url);
  const shown = KINDS.find((kind) => kind === query.get('show')) ?? 'text';
  const collection = parseId(query.get('collection') ?? undefined);
  const after = parseId(query.get('after') ?? undefined) ?? 0;
  const derivativeUses = await findDerivativeUses(call);
  await requireRecords(services.database);
  const range = { after, limit: PAGE_SIZE + 1, collection, derivativeUses };
  const [counts, candidates, collections] = await Promise.all([
    countAccessibilityProblems(services, actor, range),
    typed.size > 0 ? [...typed.keys()] : findAccessibilityProblems(services, actor, shown, range),
    findCollectionChoices(services, actor),
  ]);
  const ids = candidates.slice(0, PAGE_SIZE);
  const addressOf = (more: Readonly<Record<string, string | undefined>>) => {
    const text = encoded({ collection: collection?.toString(), ...more });
    return paths.accessibility + (text === '' ? '' : `?${text}`);
  };
  const show = shown === 'text' ? undefined : shown;
  return {
    ...{ shown, counts, problems, collections: collections?.map(toChoice), collection: String(collection ?? '') },
    token: identity.sessionId === undefined ? undefined : call.formToken,
    lists: {
      text: addressOf({}),
      captions: addressOf({ show: 'captions' }),
      language: addressOf({ show: 'language' }),
    },
    address: addressOf({ show, after: after === 0 ? undefined : String(after) }),
    next: candidates.length > PAGE_SIZE ? addressOf({ show, after: String(ids.at(-1)) }) : undefined,
    first: after === 0 ? undefined : addressOf({ show }),
    rows: await rowsOf(call, shown, ids, typed),
  };
}

/** Returns the ids of the uses of derivatives, without that of originals: the PDF of a book is one. */
async function findDerivativeUses({ api }: Call): Promise<number[]> {
  const { rules, terms } = api.services.derivatives;
  const uris = new Set([...rules.actions.values()].map(({ derivativeTerm }) => derivativeTerm));
  uris.delete(MEDIA_USE_URI.original);
  const uses = await Promise.all([...uris].map((uri) => terms.first(uri)));
  return uses.flatMap((term) => term?.id ?? []);
}

async function rowsOf(
  { api, actor }: Call,
  shown: AccessibilityProblem,
  ids: readonly number[],
  typed: ReadonlyMap<number, string>,
): Promise<AccessibilityRow[]> {
  const { services, kinds } = api;
  const list = shown === 'language' ? 'node' : 'media';
  const [rows, contents] = await Promise.all([
    findListRows(services.database, actor, list, ids),
    findAllContent(services.database, kinds[list], ids),
  ]);
  const visible = new Map(
    contents.flatMap(({ kind, head }) => {
      if (!kind.access.view(actor, head).isAllowed) return [];
      const mayEdit = kind.access.update(actor, head).isAllowed;
      const mayReplace = list === 'media' && replaceSourceAccess(actor, head).isAllowed;
      return [[head.id, { mayEdit, mayReplace }] as const];
    }),
  );
  const mayAdd = mediaAccess.createAny(actor, services.model.mediaTypes.keys()).isAllowed;
  const nodeOf = (row: ListRow) => (list === 'node' ? row.id : row.nodeId);
  const nodeIds = [...new Set(rows.flatMap((row) => nodeOf(row) ?? []))];
  const cards = shown === 'text' ? await findCardsOf(services, actor, nodeIds) : [];
  const pictures = new Map(cards.map(({ id, thumbnail }) => [id, thumbnail]));
  return rows.flatMap((row) => {
    const rights = visible.get(row.id);
    if (rights === undefined) return [];
    const picture = pictures.get(nodeOf(row) ?? 0);
    return [{ ...row, ...rights, mayAdd, picture, typed: typed.get(row.id) ?? '' }];
  });
}
