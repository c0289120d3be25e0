import { linkableAddress } from '../field-types/display/addresses.ts';
import { langWithin, PAGE_LANGUAGE } from '../field-types/display/language.ts';
import type { Link } from '../http/link-header.ts';
import { pathOf, paths } from '../paths.ts';
import { linkAccess, mediaAccess, nodeAccess, replaceSourceAccess } from '../repository/access.ts';
import { atNode } from '../repository/actor-at.ts';
import { refusedChange } from '../repository/content/base-field.ts';
import { accountAccess, nodeOverviewAccess } from '../repository/core-right.ts';
import { MEMBER_OF } from '../repository/relations.ts';
import { uploadPagePath } from './upload/upload-data.ts';
import type { View } from './view.ts';

const DELETE_FORM = 'https://drupal.org/link-relations/delete-form';

interface Props {
  readonly view: View;
  readonly links: readonly Link[];
  /** The number of members of an item. */
  readonly members?: number;
}

/** The links to what the caller may do with content. Nothing for readers. */
export function EditLinks({ view, links, members = 0 }: Props) {
  const addressOf = (relation: string) => linkableAddress(links.find(({ rel }) => rel === relation)?.href);
  const [edit, remove] = [addressOf('edit-form'), addressOf(DELETE_FORM)];
  const member = memberForm(view);
  if (edit === undefined && remove === undefined && member === undefined) return null;
  return (
    <nav class="edit-links" aria-label="Edit" {...langWithin(PAGE_LANGUAGE, view.language)}>
      {edit && <a href={edit}>Edit</a>}
      {edit && view.content.kind.type === 'node' && (
        <a href={view.root + pathOf('nodeFiles', { node: view.content.head.id })}>Files</a>
      )}
      {member && <a href={member}>Add a member</a>}
      {edit && members > 1 && (
        <a href={view.root + pathOf('nodeOrder', { node: view.content.head.id })}>Order the members</a>
      )}
      {edit && members > 0 && nodeOverviewAccess(view.source.actor).isAllowed && (
        <a href={`${view.root}${paths.changesTable}?members_of=${view.content.head.id}`}>Export for changes</a>
      )}
      {edit && mayPublish(view) && (
        <a href={view.root + pathOf('nodePublication', { node: view.content.head.id })}>
          {view.content.head.status ? 'Unpublish' : 'Publish'}
        </a>
      )}
      {view.content.kind.type === 'node' && accountAccess(view.source.actor).isAllowed && (
        <a href={view.root + pathOf('nodeRoles', { node: view.content.head.id })}>Roles</a>
      )}
      {edit && maySeeLinks(view) && (
        <a href={view.root + pathOf('nodeAccessLinks', { node: view.content.head.id })}>Links to closed files</a>
      )}
      {remove && <a href={remove}>Delete</a>}
    </nav>
  );
}

function mayPublish({ content: { kind, head }, source }: View): boolean {
  const status = kind.baseFieldNamed.get('status');
  return (
    kind.type === 'node' &&
    status !== undefined &&
    refusedChange(status.update, atNode(source.actor, head)) === undefined
  );
}

/** Returns true for editors of an item that access rules restrict, or that links open. */
function maySeeLinks({ content: { kind, head }, source }: View): boolean {
  const isRestricted = kind.type === 'node' && head.accessSet > 0;
  return isRestricted && linkAccess(source.actor, head, head.accessRule !== undefined).isAllowed;
}

/** Returns the path of the form for a new member of an item. Undefined if the caller may not add any. */
function memberForm({ content, source, root }: View): string | undefined {
  const { kind, bundle, head } = content;
  if (kind.type !== 'node' || !source.user?.mayAdd || !bundle.fieldNamed.has(MEMBER_OF)) return undefined;
  if (!kind.access.create(atNode(source.actor, head), bundle.name).isAllowed) return undefined;
  return `${root}${pathOf('nodeAddForm', { node_type: bundle.name })}?${MEMBER_OF}=${head.id}`;
}

/** The link to the upload page of a node or media, for callers who may change it. */
export function UploadLink({ view }: { readonly view: View }) {
  const { content, root, language } = view;
  const { type } = content.kind;
  if ((type !== 'node' && type !== 'media') || !mayUpload(view)) return null;
  return (
    <p class="upload-link" {...langWithin(PAGE_LANGUAGE, language)}>
      <a class="button" href={root + uploadPagePath(type, content.head.id)}>
        {type === 'node' ? 'Add files' : 'Replace the file'}
      </a>
      {type === 'node' && (
        <>
          {' '}
          <a href={`${root}${uploadPagePath(type, content.head.id)}?choice=files&use=transcript`}>Add a transcript</a>
        </>
      )}
    </p>
  );
}

function mayUpload({ content: { kind, head }, source: { actor, model } }: View): boolean {
  if (!actor.isAuthenticated) return false;
  if (kind.type === 'media') return replaceSourceAccess(actor, head).isAllowed;
  return (
    nodeAccess.update(actor, head).isAllowed &&
    mediaAccess.createAny(atNode(actor, head), model.mediaTypes.keys()).isAllowed
  );
}
