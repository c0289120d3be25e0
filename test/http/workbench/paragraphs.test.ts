import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type FieldDefinitions, fieldDefinitions } from '../../support/workbench/field-definitions.ts';
import { type Facts, replay, type Step } from '../../support/workbench/sequence.ts';
import {
  createLoadingSite,
  defaultTerms,
  type LoadingSite,
  PROFILES,
  type Profile,
} from '../../support/workbench/site.ts';
import { pingSite, startUp } from '../../support/workbench/start-up.ts';
import { newTerm } from '../../support/workbench/terms.ts';
import { Workbench } from '../../support/workbench/workbench.ts';

/** Fields of nodes that hold names, and titles in other languages. */
const MODEL = `node_types:
  islandora_object:
    fields:
      field_agents: { label: Agents, type: entity_reference_revisions, target_type: paragraph, target_bundles: [agent], cardinality: unlimited }
paragraph_types:
  agent:
    label: Agent
    fields:
      field_name: { label: Name, type: string, required: true }
      field_role: { label: Role, type: entity_reference, target_type: taxonomy_term, target_bundles: [tags], auto_create: true, auto_create_bundle: tags }
      field_from: { label: From, type: edtf }
      field_home: { label: Home, type: link }
roles:
  loads_paragraphs:
    label: Loads paragraphs
    permissions: [create paragraph content agent]
`;

let site: LoadingSite;
let terms: Facts;
beforeAll(async () => {
  site = await createLoadingSite(MODEL);
  terms = await defaultTerms(site.repository);
  await site.repository.user('paragraphist', 'workbench_user', 'loads_paragraphs');
});
afterAll(() => site.stop());

/** An administrator, and a workbench_user who may make the paragraphs, with either form of what has two. */
function run(profile: Profile): Workbench {
  const { options } = site.run(profile);
  const isAdmin = profile.user === 'admin';
  return new Workbench(isAdmin ? options : { ...options, username: 'paragraphist', password: 'paragraphist' });
}

/** A cell's subvalue: it is asked for nothing but the two ids. */
function newParagraph(fields: object, as: string): Step {
  return {
    send: 'POST /entity/paragraph?_format=json',
    headers: { 'Content-Type': 'application/json' },
    json: { ...fields, type: [{ target_id: 'agent' }], parent_field_name: [{ value: 'field_agents' }] },
    accepts: [201],
    reads: { 'id[0].value': 'integer', 'revision_id[0].value': 'integer' },
    keeps: { [as]: 'id[0].value', [`${as} revision`]: 'revision_id[0].value' },
  };
}

const reference = (as: string) => ({ target_id: `#{${as}}`, target_revision_id: `#{${as} revision}` });

const NODE = {
  type: [{ target_id: 'islandora_object', target_type: 'node_type' }],
  title: [{ value: 'With agents' }],
  field_model: [{ target_id: '{image}', target_type: 'taxonomy_term' }],
};

/** A row as it is loaded: the definitions of the paragraph's fields are asked for when the first cell is read. */
const row = (role: string) => [
  startUp(),
  fieldDefinitions('node', 'islandora_object'),
  fieldDefinitions('paragraph', 'agent'),
  newTerm('tags', role, 'role'),
  newParagraph(
    {
      field_name: [{ value: 'Doe, Jane' }],
      field_role: [{ target_id: '#{role}', target_type: 'taxonomy_term' }],
      field_from: [{ value: '1901/1955' }],
      field_home: [{ uri: 'https://example.org/jane', title: 'Jane' }],
    },
    'jane',
  ),
  newParagraph({ field_name: [{ value: 'Roe, Richard' }] }, 'richard'),
];

const postNode: Step = {
  send: 'POST /node?_format=json',
  json: { ...NODE, field_agents: [reference('jane'), reference('richard')] },
  accepts: [201],
  reads: { 'nid[0].value': 'integer' },
  keeps: { nid: 'nid[0].value' },
};

describe.each(PROFILES)('paragraph_fields, run by $name', (profile) => {
  it('reads a paragraph type, loads a row with two paragraphs, and exports it', async () => {
    const workbench = run(profile);
    const facts = await replay(workbench, [...row(`Role of ${profile.name}`), postNode], terms);

    const definitions = facts['fields of agent'] as FieldDefinitions;
    expect([...definitions].map(([name, { type, isRequired }]) => [name, type, isRequired])).toEqual([
      ['field_from', 'edtf', false],
      ['field_home', 'link', false],
      ['field_name', 'string', true],
      ['field_role', 'entity_reference', false],
    ]);
    expect(definitions.get('field_role')?.vocabularies).toEqual(['tags']);
    const ofNode = (facts['fields of islandora_object'] as FieldDefinitions).get('field_agents');
    expect(ofNode).toMatchObject({ type: 'entity_reference_revisions', targetType: 'paragraph', cardinality: -1 });

    const exported: Facts = await replay(
      run(profile),
      [
        pingSite,
        {
          send: 'GET /node/{nid}?_format=json',
          accepts: [200],
          reads: { 'field_agents[].target_id': 'integer', 'field_agents[].target_revision_id': 'integer' },
          keeps: { agents: 'field_agents[].target_id' },
        },
        {
          send: 'GET /entity/paragraph/{jane}?_format=json',
          accepts: [200],
          reads: {
            'field_name[0].value': '= Doe, Jane',
            'field_role[0].target_id': '= {role}',
            'field_from[0].value': '= 1901/1955',
            'field_home[0].uri': '= https://example.org/jane',
            'parent_id[0].value': '= {nid}',
            'parent_type[0].value': '= node',
            'parent_field_name[0].value': '= field_agents',
          },
        },
      ],
      facts,
    );
    expect(exported.agents).toEqual([facts.jane, facts.richard]);
  });

  it('appends a paragraph to existing ones', async () => {
    const before = await replay(run(profile), [...row(`Other role of ${profile.name}`), postNode], terms);
    const present = (await site.look(`/node/${before.nid}?_format=json`)).field_agents as object[];
    const { third } = await replay(
      run(profile),
      [
        startUp(),
        fieldDefinitions('node', 'islandora_object'),
        newParagraph({ field_name: [{ value: 'Poe' }] }, 'third'),
        {
          send: 'PATCH /node/{nid}?_format=json',
          json: { type: NODE.type, field_agents: [...present, reference('third')] },
          accepts: [200],
        },
      ],
      before,
    );
    const { field_agents } = await site.look(`/node/${before.nid}?_format=json`);
    expect(field_agents.map(({ target_id }: { target_id: number }) => target_id)).toEqual([
      before.jane,
      before.richard,
      third,
    ]);
  });
});

describe('an invalid paragraph', () => {
  const post = (workbench: Workbench, json: object) =>
    workbench.send('POST', '/entity/paragraph?_format=json', { json });

  it('is rejected with a readable message', async () => {
    const workbench = run(PROFILES[0] as Profile);
    const answer = await post(workbench, {
      type: [{ target_id: 'agent' }],
      parent_field_name: [{ value: 'field_agents' }],
      field_from: [{ value: 'yesterday' }],
    });
    expect(answer.status).toBe(422);
    expect((answer.json() as { message: string }).message).toContain('field_name: This value should not be null.');
  });

  it('is rejected with 403 and the name of the missing permission', async () => {
    const workbench = site.run(PROFILES[1] as Profile);
    expect((await post(workbench, { type: [{ target_id: 'agent' }], field_name: [{ value: 'x' }] })).status).toBe(403);
  });
});
