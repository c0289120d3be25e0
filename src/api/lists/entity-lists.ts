import type { TSchema } from '@sinclair/typebox';
import type { ContentModel } from '../../model/content-model.ts';
import { entityPath, paths } from '../../paths.ts';
import { fileListAccess } from '../../repository/access.ts';
import type { Access } from '../../repository/access-rule.ts';
import type { Actor } from '../../repository/actor.ts';
import type { ListName, ListSort } from '../../repository/lists/list-question.ts';
import { CONTENT_SCHEMAS } from '../content/content-schemas.ts';
import { fileSchema } from '../files/describe-files.ts';
import { userSchema } from '../users/user-routes.ts';
import { changedSince, choice, entityId, type FilterParameter, flag, term, word } from './list-parameters.ts';

/** A list of all entities of a kind. */
export interface EntityList {
  readonly name: ListName;
  readonly path: string;
  readonly operationId: string;
  readonly noun: string;
  readonly description: string;
  readonly entry: TSchema;
  readonly sorts: readonly ListSort[];
  readonly filters: readonly FilterParameter[];
  /** The path that a browser is redirected to, if any. */
  readonly pages?: (actor: Actor) => string;
  /** Checks access to the list as a whole. Default: everyone gets the entries that they may view. */
  readonly access?: (actor: Actor) => Access;
}

const OWNER = entityId('owner', 'owner', 'The id of the owner.', 0);

/** Returns the lists with the filters that the content model allows. */
export function entityLists({ nodeTypes, mediaTypes, vocabularies, roles }: ContentModel): EntityList[] {
  const published = flag('published', 'published', 'Published or unpublished entries only.');
  return [
    {
      name: 'node',
      path: paths.nodes,
      operationId: 'listNodes',
      noun: 'nodes',
      description: 'In a browser, it leads to the pages for readers.',
      entry: CONTENT_SCHEMAS.node.answer,
      sorts: ['id', 'created', 'changed', 'title'],
      filters: [
        choice('type', 'type', nodeTypes.keys(), 'The type.'),
        term('model', 'model', 'The id or a URI of the term in `field_model`.'),
        entityId('collection', 'collection', 'The id of a node that they are members of.'),
        published,
        changedSince,
        OWNER,
      ],
      pages: () => paths.search,
    },
    {
      name: 'media',
      path: paths.mediaCreateShort,
      operationId: 'listMedia',
      noun: 'media',
      description: 'Media of nodes that the caller may not view are omitted.',
      entry: CONTENT_SCHEMAS.media.answer,
      sorts: ['id', 'created', 'changed', 'name'],
      filters: [
        choice('type', 'type', mediaTypes.keys(), 'The type.'),
        term('use', 'use', 'The id or a URI of a term in `field_media_use`.'),
        published,
        changedSince,
        OWNER,
      ],
    },
    {
      name: 'taxonomy_term',
      path: paths.terms,
      operationId: 'listTerms',
      noun: 'taxonomy terms',
      description: 'Terms have no date of creation: their ids are in its order.',
      entry: CONTENT_SCHEMAS.taxonomy_term.answer,
      sorts: ['id', 'changed', 'name'],
      filters: [choice('vocabulary', 'vocabulary', vocabularies.keys(), 'The vocabulary.'), published, changedSince],
    },
    {
      name: 'file',
      path: paths.fileList,
      operationId: 'listFiles',
      noun: 'the records of files',
      description: 'For callers with the permission `delete any file`.',
      entry: fileSchema,
      sorts: ['id', 'created', 'changed', 'name'],
      filters: [
        word('mime_type', 'mimeType', /^[\w.+-]+\/[\w.+-]+$/, 'a type such as image/png', 'Such as image/png.'),
        word('scheme', 'scheme', /^[a-z][a-z0-9+.-]*$/, 'a scheme such as public', 'Such as public.'),
        flag('permanent', 'permanent', 'Permanent files, or temporary ones, to which nothing refers.'),
        changedSince,
        OWNER,
      ],
      access: fileListAccess,
    },
    {
      name: 'user',
      path: paths.userList,
      operationId: 'listUsers',
      noun: 'users',
      description:
        'A filter by role requires the permission `administer users`. In a browser, it leads to the page of the caller, or to the form to sign in.',
      pages: ({ isAuthenticated, id }) => (isAuthenticated ? entityPath.user(id) : paths.login),
      entry: userSchema,
      sorts: ['id', 'created', 'changed', 'name'],
      filters: [
        flag('status', 'active', 'Active or blocked users only.'),
        choice('role', 'role', rolesOfUsers(roles.keys()), 'The name of a role.'),
        changedSince,
      ],
    },
  ];
}

/** All users have one of these roles, by being signed in or not. */
const IMPLIED = ['anonymous', 'authenticated'];

function rolesOfUsers(roles: Iterable<string>): string[] {
  return [...roles].filter((role) => !IMPLIED.includes(role));
}
