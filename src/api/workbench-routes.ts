import { malformed, ServiceError } from '../base/errors.ts';
import { recordOf } from '../http/request-log.ts';
import { paths } from '../paths.ts';
import { permissionAccess } from '../repository/access.ts';
import { type Content, parseDocument } from '../repository/content/content.ts';
import { listReferrers } from '../repository/content/lists.ts';
import { HASH_ALGORITHMS, hashOfFile } from '../repository/files/hash-of-file.ts';
import { type Call, parseId } from './call.ts';
import { LOADER_PERMISSIONS } from './config-routes.ts';
import { viewAccess } from './file-routes.ts';
import { answerList } from './list-answer.ts';
import { pageOrFirst } from './list-routes.ts';
import * as described from './openapi/describe-workbench.ts';
import { json } from './respond.ts';
import type { Route } from './routes.ts';

const RESOURCE = 'workbench.integration';

/**
 * What Islandora Workbench takes the repository for: the version of its own module on the server, from 1.2 on with
 * `use_workbench_permissions`, and that of the platform (spec: loader-api, 1.1).
 */
const INTEGRATION_MODULE_VERSION = '1.2.1';
const CORE_VERSION = '10.4.3';

/** What it is told at a time of the members of a node; it asks for another page as long as one is full. */
const MEMBERS_PAGE_SIZE = 50;

/** What Islandora Workbench asks before it begins, after an upload, and for what it exports (spec: loader-api, 1.1 and 3). */
export const workbenchRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: paths.workbenchVersion,
    resource: RESOURCE,
    description: described.readVersion,
    answer: (call) => tell(call, { integration_module_version: INTEGRATION_MODULE_VERSION }),
  },
  {
    method: 'GET',
    path: paths.workbenchCoreVersion,
    resource: RESOURCE,
    description: described.readCoreVersion,
    answer: (call) => tell(call, { core_version: CORE_VERSION }),
  },
  {
    method: 'GET',
    path: paths.workbenchFileHash,
    resource: RESOURCE,
    description: described.readFileHash,
    answer: showHash,
  },
  {
    method: 'GET',
    path: paths.workbenchMembers,
    resource: RESOURCE,
    description: described.listMembers,
    answer: listMembers,
  },
];

async function tell(call: Call, facts: Readonly<Record<string, string>>): Promise<Response> {
  call.allow(permissionAccess(call.actor, ...LOADER_PERMISSIONS));
  return json(JSON.stringify(facts));
}

/** The checksum of a file's bytes; a list, as a view would answer. */
async function showHash(call: Call): Promise<Response> {
  const { api, actor, request } = call;
  call.allow(permissionAccess(actor, ...LOADER_PERMISSIONS, 'view checksums'));
  const [uuid, asked] = [call.query('file_uuid'), call.query('algorithm')];
  const algorithm = HASH_ALGORITHMS.find((known) => known === asked);
  if (uuid === undefined) throw malformed('The query parameter "file_uuid" is missing.');
  if (algorithm === undefined)
    throw malformed(`The query parameter "algorithm" must be one of ${HASH_ALGORITHMS.join(', ')}.`);
  const row = await api.findFile.byUuid(uuid.toLowerCase());
  if (row === undefined) throw new ServiceError('not-found', 'There is no file with this UUID.');
  // Whoever may only look at checksums looks at those of the files that they may see.
  if (!permissionAccess(actor, ...LOADER_PERMISSIONS).isAllowed) call.require(await viewAccess(call, row));
  if (request.method === 'HEAD') return json('');
  // Of a large file it takes its time, and nothing can be sent before.
  recordOf(request).allowSilence();
  const checksum = await hashOfFile(api.services, row, algorithm, request.signal);
  return json(JSON.stringify([{ checksum, file_uuid: row.uuid, algorithm }]));
}

/** The members of a node that the caller may see, by weight; none of what is no node, as a view answers. */
async function listMembers(call: Call): Promise<Response> {
  const { api, actor, params } = call;
  call.allow(permissionAccess(actor, ...LOADER_PERMISSIONS, 'administer nodes'));
  const page = pageOrFirst(call, MEMBERS_PAGE_SIZE);
  const targetId = parseId(params.node);
  if (targetId === undefined) return json('[]');
  const members = { targetType: 'node', targetId, field: 'field_member_of' } as const;
  return answerList(call, listReferrers(api.services, api.kinds.node, members, actor, page), memberEntry);
}

/** Every value as text, as a view of fields tells it. */
function memberEntry(content: Content): string {
  const { title, field_weight: weight } = parseDocument(content).members;
  return JSON.stringify({
    nid: String(content.head.id),
    title: String(title?.[0]?.value ?? ''),
    type: content.head.bundle,
    field_weight_value: String(weight?.[0]?.value ?? ''),
  });
}
