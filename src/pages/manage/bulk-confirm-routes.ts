import { type Static, Type as t } from '@sinclair/typebox';
import { malformed } from '../../base/errors.ts';
import { type BulkAction, type BulkParameters, FIELD_OF, type MemberAction } from '../../bulk/bulk-action.ts';
import { countAffected } from '../../bulk/count-affected.ts';
import { findMembers } from '../../bulk/find-members.ts';
import { startRun } from '../../bulk/start-run.ts';
import type { Database } from '../../database/database.ts';
import { pathOf, paths } from '../../paths.ts';
import { open } from '../../repository/content/content.ts';
import { findCollectionChoices } from '../../repository/lists/list-choices.ts';
import type { ApiServices } from '../../web/api-services.ts';
import { type Call, parseId } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import { PAGE_FORMATS, parametersOf } from '../../web/formats.ts';
import { queryOf } from '../../web/parameters.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import { gatherMembers, type MemberChoices, scopeIn } from '../members/gather-members.ts';
import { bulkConfirmPage } from './bulk-confirm-page.tsx';
import type { BulkFormValues, BulkSelection } from './bulk-data.ts';
import {
  backTo,
  findSelection,
  type ItemSelection,
  parseSelection,
  requireSelection,
  selectionFields,
  selectionProblems,
  startProblems,
} from './bulk-selection.ts';
import { nearTerms, readTerm, termFields } from './bulk-term.ts';
import { toChoice } from './find-choices.ts';
import { answerValues } from './values-routes.ts';

const optional = (description: string) => t.Optional(t.String({ description }));
const selected = {
  kind: optional('`node` or `media`.'),
  action: optional('`publish`, `unpublish`, `collection`, `term`, `values`, `derivatives` or `delete`.'),
  all: optional('`1` for all items of a source.'),
  filter: optional('The query of a list.'),
  search: optional('The query of a search.'),
  import: optional('The id of an uploaded table.'),
  run: optional('The id of a bulk change.'),
};

const confirmation = t.Object({
  ...selected,
  entry: t.Array(t.String(), { description: 'The ids of the items.' }),
  confirmed: optional('The number of items that the page has shown.'),
  collection: optional('The id of the collection.'),
  mode: optional('`replace` or `add`.'),
  field: optional('The field that gets a term.'),
  term: optional('The name of the term.'),
  near: optional('The term that was chosen instead of the typed name.'),
  members: optional('`none` or `pages`; `all`, except for a deletion.'),
  with_media: optional('`1` to delete the media of nodes, too.'),
  with_files: optional('`1` to delete the files of deleted media, too.'),
});

/** Routes of the page on which a change of many items is confirmed. */
export const bulkConfirmRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.bulkConfirm, async ({ call, query }) => answerConfirm(call, selectionIn(call), { field: query.field }), {
      check: { formats: PAGE_FORMATS, access: requireUser },
      query: queryOf({
        ...selected,
        entry: optional('The id of an item. It may be repeated.'),
        field: optional('The field of a term, to choose it.'),
      }),
    })
    .post(paths.bulkConfirm, async ({ call, body }) => start(call, body), {
      check: { form: 'large', formats: PAGE_FORMATS, access: requireUser },
      body: confirmation,
    });

/** Rejects anonymous callers. The selection decides about others, once it is read. */
function requireUser(call: Call): void {
  call.allow(call.actor.isAuthenticated ? { isAllowed: true } : { isAllowed: false, reason: 'Sign in first.' });
}

function selectionIn({ request }: Call): BulkSelection {
  return parseSelection(selectionFields(parametersOf(request.url)));
}

/** Answers with the page on which the change of a selection is confirmed. */
export async function answerConfirm(
  call: Call,
  selection: BulkSelection,
  typed: BulkFormValues = {},
): Promise<Response> {
  await requireSelection(call, selection);
  if (selection.action === 'values') return answerValues(call, selection, typed.field);
  const selected = await findSelection(call, selection);
  return confirmPage(call, selection, selected, { typed, problems: selectionProblems(selected) });
}

async function start(call: Call, body: Static<typeof confirmation>): Promise<Response> {
  const { api, actor } = call;
  const { database } = api.services;
  const selection = parseSelection(body);
  if (selection.action === 'values') throw malformed('Values are changed by the form of their own page.');
  await requireSelection(call, selection);
  const selected = await findSelection(call, selection);
  const read = await readParameters(call, selection, body);
  const parameters = Array.isArray(read) ? undefined : (read as BulkParameters);
  const problems = [...selectionProblems(selected), ...(Array.isArray(read) ? (read as FormProblem[]) : [])];
  if (problems.length === 0) problems.push(...(await startProblems(call, selected, Number(body.confirmed ?? 0))));
  if (problems.length > 0 || parameters === undefined)
    return confirmPage(call, selection, selected, { typed: body, problems }, 422);
  const { kind: type, action } = selection;
  const members = await findMembers(api.services, actor, membersOf(selection, selected, body));
  const { scope } = membersOf(selection, selected, body);
  const all = scope === 'none' ? parameters : { ...parameters, members: scope };
  const run = { type, action, parameters: all };
  const id = await startRun(database, actor, run, selected.ids, scope === 'none' ? undefined : members);
  api.bulk.wake();
  return seeOther(call, pathOf('bulkRun', { run: id }));
}

/** Returns which members follow a change. A collection is deleted with its items only on its own page. */
function membersOf({ kind, action }: BulkSelection, { ids }: ItemSelection, { members }: BulkFormValues) {
  const asked = kind === 'node' && isFollowed(action) ? scopeIn(members) : 'none';
  const scope = asked === 'all' && action === 'delete' ? 'none' : asked;
  return { action: isFollowed(action) ? action : 'publish', scope, chosen: ids } as const;
}

const isFollowed = (action: BulkAction): action is MemberAction =>
  action === 'publish' || action === 'unpublish' || action === 'delete';

async function confirmPage(
  call: Call,
  selection: BulkSelection,
  { ids, isTooMany, first }: ItemSelection,
  form: { readonly typed: BulkFormValues; readonly problems: readonly FormProblem[] },
  status = 200,
): Promise<Response> {
  const { api, actor, identity } = call;
  const { database } = api.services;
  const { kind, action } = selection;
  const collections = action === 'collection' ? await findCollectionChoices(api.services, actor) : [];
  const isDeletion = action === 'delete' && kind === 'node';
  const members =
    kind === 'node' && isFollowed(action) && !isTooMany
      ? await gatherMembers(call, { action, chosen: ids, offersAll: action !== 'delete', isCompound: false })
      : undefined;
  const data = {
    ...{ ...selection, ...form, first, collections: collections?.map(toChoice) },
    token: identity.sessionId === undefined ? undefined : call.formToken,
    count: isTooMany ? 0 : ids.length,
    affected: isDeletion ? await affectedBy(database, ids, members) : undefined,
    members,
    fields: action === 'term' ? termFields(call, kind) : [],
    near: form.problems.some(({ field }) => field === 'term') ? await nearTerms(call, kind, form.typed) : [],
    back: backTo(selection),
  };
  return formAnswer(bulkConfirmPage(data, call.site), status);
}

/** Counts the media that a deletion affects, also those of the members that usually follow, and the members that stay. */
async function affectedBy(database: Database, ids: readonly number[], members: MemberChoices | undefined) {
  const own = await countAffected(database, ids);
  const following = members?.choices.find(({ scope }) => scope === members.usual)?.ids ?? [];
  if (following.length === 0) return own;
  return { members: own.members, media: (await countAffected(database, [...ids, ...following])).media };
}

/** Returns the parameters of a confirmed action, or the problems of its form. */
async function readParameters(
  call: Call,
  { kind, action }: BulkSelection,
  typed: BulkFormValues,
): Promise<BulkParameters | readonly FormProblem[]> {
  const field = FIELD_OF[action];
  switch (action) {
    case 'collection': {
      const collection = await findCollection(call, typed.collection ?? '');
      if (typeof collection === 'string') return [{ field: 'collection', message: collection }];
      return { field, ...collection, replaces: typed.mode !== 'add' };
    }
    case 'term':
      return readTerm(call, kind, typed);
    case 'delete':
      return { withMedia: kind === 'node' && typed.with_media === '1', withFiles: typed.with_files === '1' };
    default:
      return { field };
  }
}

async function findCollection({ api, actor }: Call, text: string) {
  if (text === '') return 'Choose a collection.';
  const id = parseId(text);
  const node = id === undefined ? undefined : await api.findContent('node', id);
  if (node === undefined || !node.kind.access.view(actor, node.head).isAllowed)
    return 'Enter the number of a collection that exists.';
  return { target: node.head.id, targetLabel: open(node).draft.label };
}
