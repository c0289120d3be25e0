import { type TProperties, type TSchema, Type as t } from '@sinclair/typebox';
import { closed, oneOf, text, UUID_PATTERN } from '../../field-types/schemas.ts';
import { HASH_ALGORITHMS } from '../../repository/files/hash-of-file.ts';
import { JSON_TYPE } from '../openapi/answers.ts';
import type { Description, ResponseDescription } from '../openapi/describe.ts';
import { CONTENT_HEADERS } from '../openapi/headers.ts';

/** What Islandora Workbench asks for besides the content model. */

const answered = (description: string, schema: TSchema): Record<number, ResponseDescription> => ({
  200: { description, headers: CONTENT_HEADERS, content: { [JSON_TYPE]: schema } },
});

function readFact(operationId: string, summary: string, member: TProperties): Description {
  return {
    operationId,
    tag: 'model',
    summary,
    isForAnyone: false,
    responses: answered('For clients that look for a version before they begin.', closed(member)),
    failures: [403],
  };
}

const version = t.String({ pattern: '^\\d+\\.\\d+\\.\\d+$' });

export const readVersion = readFact('getWorkbenchVersion', 'Ask what Islandora Workbench may rely on', {
  integration_module_version: version,
});

export const readCoreVersion = readFact('getCoreVersion', 'Ask which release of the original this answers like', {
  core_version: version,
});

const uuid = t.String({ pattern: UUID_PATTERN });

export const readFileHash: Description = {
  operationId: 'getFileHash',
  tag: 'files',
  summary: 'Ask for a checksum of a file',
  description: 'SHA-256 is known; for the others the bytes are read.',
  isForAnyone: false,
  responses: answered(
    'A list of one.',
    t.Array(
      closed({
        checksum: t.String({ pattern: '^[0-9a-f]+$' }),
        file_uuid: uuid,
        algorithm: oneOf(HASH_ALGORITHMS),
      }),
      { minItems: 1, maxItems: 1 },
    ),
  ),
  failures: [403, 404],
};

export const listMembers: Description = {
  operationId: 'listNodeMemberNumbers',
  tag: 'lists',
  summary: 'List the members of a node by number and weight',
  description: 'One page of fifty. What is no node has no members.',
  isForAnyone: false,
  responses: answered(
    'The members that the caller may see, by weight; numbers as texts.',
    t.Array(
      closed({
        nid: t.String({ pattern: '^\\d+$' }),
        title: text,
        type: text,
        field_weight_value: t.String({ description: 'Empty without a weight.' }),
      }),
    ),
  ),
  failures: [403],
};
