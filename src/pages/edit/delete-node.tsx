import { type Static, Type as t } from '@sinclair/typebox';
import { numberText } from '../../base/in-words.ts';
import type { MemberScope } from '../../bulk/bulk-action.ts';
import { changeWithMembers } from '../../bulk/change-with-members.ts';
import { countAffected } from '../../bulk/count-affected.ts';
import { findMembers } from '../../bulk/find-members.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { entityPath, pathOf, paths } from '../../paths.ts';
import { type Content, open } from '../../repository/content/content.ts';
import { countReferrers } from '../../repository/content/lists/count-content.ts';
import { removeContent } from '../../repository/content/write/remove-content.ts';
import { MEDIA_OF, MEMBER_OF } from '../../repository/relations.ts';
import { addressWithin } from '../../web/address-within.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { findOr404 } from '../../web/find-content-or-404.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { isOfStructure } from '../../web/item-structure.ts';
import { id } from '../../web/parameters.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import { errorOf } from '../forms/error-summary.tsx';
import { Checkbox, TextInput } from '../forms/field.tsx';
import { gatherMembersOf, type MemberChoices, scopeIn } from '../members/gather-members.ts';
import { MemberFields } from '../members/member-fields.tsx';
import { deletePage, FILES_HELP, findRemovable, referrers, staying } from './delete-page.tsx';

const params = t.Object({ node: id('The id of the node.') });
const deletion = t.Object({
  members: t.Optional(t.String({ description: '`none`, `pages` or `all`.' })),
  with_media: t.Optional(t.String({ description: '`1` to delete the media with their files, too.' })),
  title: t.Optional(t.String({ description: 'The title of a collection, to delete everything below it.' })),
});
type Deletion = Static<typeof deletion>;

/** The routes of the form that deletes a node: alone, with its pages or with everything below it. */
export const deleteNodeRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.nodeDelete, async ({ call }) => show(call), { check: { formats: PAGE_FORMATS }, params })
    .post(paths.nodeDelete, async ({ call, body }) => remove(call, body), {
      check: { form: 'signed', formats: PAGE_FORMATS, access: (call: Call) => findRemovable(call, 'node') },
      params,
      body: deletion,
    });

async function show(
  call: Call,
  typed?: Deletion,
  problems: readonly FormProblem[] = [],
  status = 200,
): Promise<Response> {
  const { site, formToken, request, api } = call;
  const node = await findRemovable(call, 'node');
  const { id: nodeId } = node.head;
  const members = await gatherMembersOf(call, node, 'delete');
  const pages = members?.choices.find(({ scope }) => scope === members.usual)?.ids ?? [];
  const { media } = await countAffected(api.services.database, [nodeId, ...pages]);
  const choices: DeletionChoices = {
    ...{ title: open(node).draft.label, members, media, typed, problems },
    isCollection: await isOfStructure(api, node, 'collection'),
  };
  const form = {
    label: choices.title,
    kind: node.bundle.label,
    effects: await effectsOf(call, node, choices),
    problems,
    choices: <Choices choices={choices} root={siteRoot(site.baseUrl)} />,
    action: addressWithin(request),
    token: formToken,
    cancel: entityPath.node(nodeId),
  };
  return formAnswer(deletePage(form, site), status);
}

/** The choices of what is deleted with a node. */
interface DeletionChoices {
  readonly title: string;
  readonly members: MemberChoices | undefined;
  /** The number of media of the node, and of the members that usually follow. */
  readonly media: number;
  readonly isCollection: boolean;
  readonly typed: Deletion | undefined;
  readonly problems: readonly FormProblem[];
}

/** Returns what a deletion takes away, and what stays unless the form chooses otherwise. */
async function effectsOf(call: Call, { head }: Content, { members, isCollection }: DeletionChoices): Promise<string[]> {
  const counts = await countReferrers(call.api.services.database, 'node', head.id);
  const ofMembers = referrers(counts, 'node', MEMBER_OF);
  const isWhole = isWholeByDefault(members);
  return [
    'All of its revisions and addresses are deleted with it.',
    ...(isWhole
      ? []
      : staying(
          referrers(counts, 'media', MEDIA_OF),
          'media with its file stays',
          'media with their files stay',
          'but belongs to no item.',
        )),
    ...(isWhole
      ? []
      : staying(
          ofMembers,
          'member stays',
          'members stay',
          isCollection ? 'without this collection.' : 'without this item.',
        )),
    ...staying(referrers(counts, 'node') - ofMembers, 'other item loses', 'other items lose', 'the reference to it.'),
  ];
}

/** Pages and files go with a book. */
const isWholeByDefault = (members: MemberChoices | undefined) => members !== undefined && members.usual !== 'none';

function Choices({ choices, root }: { readonly choices: DeletionChoices; readonly root: string }) {
  const { title, members, media, isCollection, typed, problems } = choices;
  const scope: MemberScope = typed === undefined ? (members?.usual ?? 'none') : scopeIn(typed.members);
  const offersAll = members?.choices.some((choice) => choice.scope === 'all') === true;
  return (
    <>
      {members && <MemberFields members={members} chosen={scope} alone="This item alone" root={root} />}
      {(media > 0 || members !== undefined) && (
        <Checkbox
          name="with_media"
          label={
            media > 0
              ? `Delete the media and files, too (${numberText(media)} media)`
              : 'Delete the media and files, too'
          }
          help={`Media that belong to another item, too, stay. ${FILES_HELP}`}
          checked={typed === undefined ? isWholeByDefault(members) : typed.with_media === '1'}
        />
      )}
      {isCollection && offersAll && (
        <TextInput
          name="title"
          label="Title of the collection"
          help={`Only to delete everything below it: type “${title}”.`}
          value={typed?.title ?? ''}
          error={errorOf(problems, 'title')}
          autocomplete="off"
          spellcheck={false}
        />
      )}
    </>
  );
}

async function remove(call: Call, body: Deletion): Promise<Response> {
  const { api, actor } = call;
  const node = await findRemovable(call, 'node');
  const { label } = open(node).draft;
  const scope = scopeIn(body.members);
  const isWhole = body.with_media === '1';
  if (scope === 'all' && body.title?.trim() !== label.trim() && (await isOfStructure(api, node, 'collection')))
    return show(call, body, [{ field: 'title', message: `To delete everything below it, type “${label}”.` }], 422);
  if (scope === 'none' && !isWhole) {
    const check = (current: Content) => call.require(current.kind.access.remove(actor, current.head));
    await removeContent(api.services, () => findOr404(call, 'node'), check);
    return seeOther(call, paths.home, `Deleted “${label}”.`);
  }
  const plan = await findMembers(api.services, actor, { action: 'delete', scope, chosen: [node.head.id] });
  const { run, state, reason } = await changeWithMembers(api, actor, {
    ...{ node, action: 'delete', members: plan },
    parameters: { members: scope, withMedia: isWhole, withFiles: isWhole },
  });
  if (state === 'failed' || state === 'skipped')
    return show(call, body, [{ message: reason ?? 'It could not be deleted.' }], state === 'skipped' ? 403 : 409);
  api.bulk.wake();
  if (plan.following.length + plan.kept.length > 0) return seeOther(call, pathOf('bulkRun', { run }));
  return seeOther(call, paths.home, `Deleted “${label}”${isWhole ? ' with its media and files' : ''}.`);
}
