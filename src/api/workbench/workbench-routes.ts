import { Type as t } from '@sinclair/typebox';
import { malformed, ServiceError } from '../../base/errors.ts';
import { recordOf } from '../../http/request-log.ts';
import { paths } from '../../paths.ts';
import { permissionAccess } from '../../repository/access.ts';
import { type Content, parseDocument } from '../../repository/content/content.ts';
import { listReferrers } from '../../repository/content/lists.ts';
import { HASH_ALGORITHMS, type HashAlgorithm, hashOfFile } from '../../repository/files/hash-of-file.ts';
import type { ApiServices } from '../api-services.ts';
import { type Call, parseId } from '../call.ts';
import { resource } from '../check.ts';
import { LOADER_PERMISSIONS } from '../config/config-routes.ts';
import { viewAccess } from '../files/find-file-or-404.ts';
import { answerList } from '../lists/list-answer.ts';
import { describe } from '../openapi/describe.ts';
import { PAGE_QUERY, type PageQuery, pageOrFirst, parameter, queryOf } from '../parameters.ts';
import { json } from '../respond.ts';
import * as described from './describe-workbench.ts';

const check = { resource: 'workbench.integration' };

/**
 * The versions that Islandora Workbench is told: that of its own module on the server, from 1.2 on with
 * `use_workbench_permissions`, and that of the platform (spec: loader-api, 1.1).
 */
const INTEGRATION_MODULE_VERSION = '1.2.1';
const CORE_VERSION = '10.4.3';

/** The page size of the members of a node. Islandora Workbench asks for another page as long as one is full. */
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

/** What Islandora Workbench asks before it begins, after an upload, and for what it exports (spec: loader-api, 1.1 and 3). */
export const workbenchRoutes = (api: ApiServices) =>
  resource(api)
    .get(
      paths.workbenchVersion,
      async ({ call }) => facts(call, { integration_module_version: INTEGRATION_MODULE_VERSION }),
      { check, detail: describe(described.readVersion) },
    )
    .get(paths.workbenchCoreVersion, async ({ call }) => facts(call, { core_version: CORE_VERSION }), {
      check,
      detail: describe(described.readCoreVersion),
    })
    .get(paths.workbenchFileHash, async ({ call, query }) => showHash(call, query.file_uuid, query.algorithm), {
      check: {
        ...check,
        access: (call: Call) => call.allow(permissionAccess(call.actor, ...LOADER_PERMISSIONS, 'view checksums')),
      },
      query: hashQuery,
      detail: describe(described.readFileHash),
    })
    .get(paths.workbenchMembers, async ({ call, query }) => listMembers(call, query), {
      check: {
        ...check,
        access: (call: Call) => call.allow(permissionAccess(call.actor, ...LOADER_PERMISSIONS, 'administer nodes')),
      },
      params: t.Object({ node: t.String({ description: 'The id of the node.' }) }),
      query: queryOf(PAGE_QUERY),
      detail: describe(described.listMembers),
    });

function facts(call: Call, told: Readonly<Record<string, string>>): Response {
  call.allow(permissionAccess(call.actor, ...LOADER_PERMISSIONS));
  return json(JSON.stringify(told));
}

/** Answers with the checksum of a file's bytes, as a list, like a view. */
async function showHash(call: Call, uuid: string, algorithm: HashAlgorithm): Promise<Response> {
  const { api, actor, request } = call;
  const row = await api.findFile.byUuid(uuid.toLowerCase());
  if (row === undefined) throw new ServiceError('not-found', 'There is no file with this UUID.');
  // A caller who may only view checksums sees those of readable files.
  if (!permissionAccess(actor, ...LOADER_PERMISSIONS).isAllowed) call.require(await viewAccess(call, row));
  if (request.method === 'HEAD') return json('');
  // A large file takes its time, and nothing can be sent before.
  recordOf(request).allowSilence();
  const checksum = await hashOfFile(api.services, row, algorithm, request.signal);
  return json(JSON.stringify([{ checksum, file_uuid: row.uuid, algorithm }]));
}

/** Answers with the members of a node that the caller may see, by weight; none for an unknown node, like a view. */
async function listMembers(call: Call, query: PageQuery): Promise<Response> {
  const { api, actor, params } = call;
  const targetId = parseId(params.node);
  if (targetId === undefined) return json('[]');
  const members = { targetType: 'node', targetId, field: 'field_member_of' } as const;
  const page = pageOrFirst(query, MEMBERS_PAGE_SIZE);
  return answerList(call, listReferrers(api.services, api.kinds.node, members, actor, page), memberEntry);
}

/** Returns an entry with every value as text, like a view of fields. */
function memberEntry(content: Content): string {
  const { title, field_weight: weight } = parseDocument(content).members;
  return JSON.stringify({
    nid: String(content.head.id),
    title: String(title?.[0]?.value ?? ''),
    type: content.head.bundle,
    field_weight_value: String(weight?.[0]?.value ?? ''),
  });
}
