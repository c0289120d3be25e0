import { Type as t } from '@sinclair/typebox';
import { malformed, ServiceError } from '../../base/errors.ts';
import { closed, oneOf, text, UUID_PATTERN } from '../../field-types/schemas.ts';
import { recordOf } from '../../http/request-log.ts';
import { paths } from '../../paths.ts';
import { permissionAccess } from '../../repository/access.ts';
import { type Content, parseDocument } from '../../repository/content/content.ts';
import { findReferrers } from '../../repository/content/lists/lists.ts';
import { HASH_ALGORITHMS, type HashAlgorithm, hashOfFile } from '../../repository/files/hash-of-file.ts';
import { MEMBER_OF } from '../../repository/relations.ts';
import type { ApiServices } from '../../web/api-services.ts';
import { type Call, parseId } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { viewAccess } from '../../web/find-file-or-404.ts';
import { answered, describe } from '../../web/openapi/describe.ts';
import { PAGE_QUERY, type PageQuery, pageOrFirst, parameter, queryOf } from '../../web/parameters.ts';
import { json } from '../../web/respond.ts';
import { LOADER_PERMISSIONS } from '../config/config-routes.ts';
import { answerList } from '../lists/list-answer.ts';

const check = { resource: 'workbench.integration' };

/**
 * The versions that Islandora Workbench requires: of its module on the server, which supports `use_workbench_permissions`
 * since 1.2, and of the platform (spec: loader-api, 1.1).
 */
const INTEGRATION_MODULE_VERSION = '1.2.1';
const CORE_VERSION = '10.4.3';

/** The page size of the members of a node. Islandora Workbench requests the next page after a full one. */
const MEMBERS_PAGE_SIZE = 50;

const hashQuery = queryOf({
  file_uuid: parameter(
    { type: 'string', description: 'The UUID of the file.' },
    () => true,
    () => malformed('The query parameter "file_uuid" is missing.'),
  ),
  algorithm: parameter<HashAlgorithm>(
    { type: 'string', enum: [...HASH_ALGORITHMS] },
    (text) => HASH_ALGORITHMS.some((known) => known === text),
    () => malformed(`The query parameter "algorithm" must be one of ${HASH_ALGORITHMS.join(', ')}.`),
  ),
});

const version = t.String({ pattern: '^\\d+\\.\\d+\\.\\d+$' });

function describeFact(operationId: string, summary: string, member: string) {
  return describe({
    operationId,
    tag: 'model',
    summary,
    isForAnyone: false,
    responses: answered('For clients that require a version.', closed({ [member]: version })),
    failures: [403],
  });
}

const checksums = t.Array(
  closed({
    checksum: t.String({ pattern: '^[0-9a-f]+$' }),
    file_uuid: t.String({ pattern: UUID_PATTERN }),
    algorithm: oneOf(HASH_ALGORITHMS),
  }),
  { minItems: 1, maxItems: 1 },
);

const members = t.Array(
  closed({
    nid: t.String({ pattern: '^\\d+$' }),
    title: text,
    type: text,
    field_weight_value: t.String({ description: 'Empty without a weight.' }),
  }),
);

/** Routes that Islandora Workbench reads before it begins, after an upload, and for an export (spec: loader-api, 1.1 and 3). */
export const workbenchRoutes = (api: ApiServices) =>
  resource(api)
    .get(
      paths.workbenchVersion,
      async ({ call }) => facts(call, { integration_module_version: INTEGRATION_MODULE_VERSION }),
      {
        check,
        detail: describeFact(
          'getWorkbenchVersion',
          'Read the supported version of the Islandora Workbench module',
          'integration_module_version',
        ),
      },
    )
    .get(paths.workbenchCoreVersion, async ({ call }) => facts(call, { core_version: CORE_VERSION }), {
      check,
      detail: describeFact('getCoreVersion', 'Read the emulated version of the platform', 'core_version'),
    })
    .get(paths.workbenchFileHash, async ({ call, query }) => showHash(call, query.file_uuid, query.algorithm), {
      check: {
        ...check,
        access: (call: Call) => call.allow(permissionAccess(call.actor, ...LOADER_PERMISSIONS, 'view checksums')),
      },
      query: hashQuery,
      detail: describe({
        operationId: 'getFileHash',
        tag: 'files',
        summary: 'Read a checksum of a file',
        description: 'SHA-256 is stored. Other algorithms read the file.',
        isForAnyone: false,
        responses: answered('A list with one checksum.', checksums),
        failures: [403, 404],
      }),
    })
    .get(paths.workbenchMembers, async ({ call, query }) => listMembers(call, query), {
      check: {
        ...check,
        access: (call: Call) => call.allow(permissionAccess(call.actor, ...LOADER_PERMISSIONS, 'administer nodes')),
      },
      params: t.Object({ node: t.String({ description: 'The id of the node.' }) }),
      query: queryOf(PAGE_QUERY),
      detail: describe({
        operationId: 'listNodeMemberNumbers',
        tag: 'lists',
        summary: 'List the members of a node with id and weight',
        description: 'One page of fifty. The list of an unknown node is empty.',
        isForAnyone: false,
        responses: answered('The members that the caller may view, by weight. Numbers are texts.', members),
        failures: [403],
      }),
    });

function facts(call: Call, values: Readonly<Record<string, string>>): Response {
  call.allow(permissionAccess(call.actor, ...LOADER_PERMISSIONS));
  return json(JSON.stringify(values));
}

/** Returns the checksum of a file as a list, as a view of Islandora does. */
async function showHash(call: Call, uuid: string, algorithm: HashAlgorithm): Promise<Response> {
  const { api, request } = call;
  const row = await api.findFile.byUuid(uuid.toLowerCase());
  if (row === undefined) throw new ServiceError('not-found', 'No file has this UUID.');
  // A checksum tells whether a file has certain bytes.
  call.require(await viewAccess(call, row));
  if (request.method === 'HEAD') return json('');
  // Hashing a large file takes long, and nothing can be sent meanwhile.
  recordOf(request).allowSilence();
  const checksum = await hashOfFile(api.services, row, algorithm, request.signal);
  return json(JSON.stringify([{ checksum, file_uuid: row.uuid, algorithm }]));
}

/** Returns the members of a node that the caller may view, by weight. None for an unknown node, as in a view of Islandora. */
async function listMembers(call: Call, query: PageQuery): Promise<Response> {
  const { api, actor, params } = call;
  const targetId = parseId(params.node);
  if (targetId === undefined) return json('[]');
  const target = { targetType: 'node', targetId, field: MEMBER_OF } as const;
  const page = pageOrFirst(query, MEMBERS_PAGE_SIZE);
  const { batches } = await findReferrers(api.services, api.kinds.node, target, actor, page);
  return answerList(call, batches, memberEntry);
}

/** Returns an entry with every value as text, as a view of Islandora does. */
function memberEntry(content: Content): string {
  const { title, field_weight: weight } = parseDocument(content).members;
  return JSON.stringify({
    nid: String(content.head.id),
    title: String(title?.[0]?.value ?? ''),
    type: content.head.bundle,
    field_weight_value: String(weight?.[0]?.value ?? ''),
  });
}
