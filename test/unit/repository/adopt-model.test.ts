import { describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { createLog } from '../../../src/base/log.ts';
import { DEFAULT_SERVER_CONFIG } from '../../../src/config/server-config.ts';
import { builtInTypes } from '../../../src/field-types/registry.ts';
import type { FieldValues } from '../../../src/model/content-model.ts';
import { asSubmitted } from '../../../src/repository/content/fill/check-values.ts';
import { changeContent, createContent } from '../../../src/repository/content/write/save-content.ts';
import { findRevision } from '../../../src/repository/revisions/revisions.ts';
import { ModelConflictError } from '../../../src/repository/setup/adopt-model.ts';
import { type OpenRepository, openRepository } from '../../../src/server/open-repository.ts';
import { emptyFolder } from '../../support/empty-folder.ts';

const log = createLog({ level: 'fatal', format: 'json', destination: { write: () => undefined } });

/** A user's model file with a node type `letter`. */
const letter = (fields: string) => `node_types:
  letter:
    label: Letter
    fields:
      field_place: { label: Place, type: string }
${fields}`;
const NOTE = '      field_remark: { label: Note, type: string }\n';
const NUMBER = '      field_remark: { label: Note, type: integer }\n';
const FRIEND =
  '      field_friend: { label: Friend, type: entity_reference, target_type: node, cardinality: unlimited }\n';

/** Opens a data folder several times, each time with another model. */
async function createSite() {
  const dataFolder = await emptyFolder();
  const modelFile = join(dataFolder, 'model.yaml');
  let open: OpenRepository | undefined;
  return {
    async open(model: string, dropsFields = false): Promise<OpenRepository> {
      await open?.close();
      open = undefined;
      await Bun.write(modelFile, model);
      open = await openRepository({ ...DEFAULT_SERVER_CONFIG, dataFolder, modelFile }, log, { dropsFields });
      return open;
    },
  };
}

async function administrator({ api }: OpenRepository) {
  const user = await api.findUser.byId(1);
  if (user === undefined) throw new Error('there is no administrator');
  return api.makeActor({ ...user.row, roles: [...user.roles] });
}

async function createLetter(repository: OpenRepository, values: FieldValues) {
  const { services, api } = repository;
  const { node: kind } = api.kinds;
  const bundle = kind.bundles.get('letter');
  if (bundle === undefined) throw new Error('there is no type letter');
  const submitted = asSubmitted({ kind, bundle }, { title: [{ value: 'A letter' }], ...values }, builtInTypes);
  return (await createContent(services, await administrator(repository), kind, bundle, submitted)).head.id;
}

async function changeLetter(repository: OpenRepository, id: number, values: FieldValues) {
  const { services, api } = repository;
  const content = await read(repository, id);
  const submitted = asSubmitted({ kind: api.kinds.node, bundle: content.bundle }, values, builtInTypes);
  await changeContent(services, await administrator(repository), submitted, {
    read: () => read(repository, id),
    check: () => undefined,
  });
}

async function read({ api }: OpenRepository, id: number) {
  const content = await api.findContent('node', id);
  if (content === undefined) throw new Error(`node ${id} cannot be read`);
  return content;
}

async function documentOf(repository: OpenRepository, id: number): Promise<FieldValues> {
  return JSON.parse((await read(repository, id)).document) as FieldValues;
}

async function count({ services }: OpenRepository, sql: string): Promise<number> {
  return Number((await services.database.client.execute(sql)).rows[0]?.[0]);
}

describe('a changed content model', () => {
  it('adds new empty fields to existing content', async () => {
    const site = await createSite();
    const id = await createLetter(await site.open(letter('')), { field_place: [{ value: 'Bern' }] });
    const members = await documentOf(await site.open(letter(NOTE)), id);
    expect(members.field_place).toEqual([{ value: 'Bern' }]);
    expect(members.field_remark).toEqual([]);
  });

  it('may drop a field without values', async () => {
    const site = await createSite();
    const id = await createLetter(await site.open(letter(NOTE)), {});
    expect(await documentOf(await site.open(letter('')), id)).not.toHaveProperty('field_remark');
    expect((await documentOf(await site.open(letter(NUMBER)), id)).field_remark).toEqual([]);
  });

  it.each([
    ['lost a field', letter(''), 'node.letter.field_remark is no longer in the model; it holds values in 2 entities'],
    [
      'changed its type',
      letter(NUMBER),
      'node.letter.field_remark is integer now and was string; it holds values in 2 entities',
    ],
    [
      'lost the type of node',
      'node_types: {}\n',
      'node.letter is no longer in the model; it holds values in 3 entities',
    ],
  ])('is refused if it has %s with values, and names it', async (_, model, line) => {
    const site = await createSite();
    const repository = await site.open(letter(NOTE));
    await createLetter(repository, { field_remark: [{ value: 'one' }] });
    await createLetter(repository, { field_remark: [{ value: 'two' }] });
    await createLetter(repository, {});
    const error = await site.open(model).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ModelConflictError);
    expect((error as Error).message).toBe(
      `The content model would lose stored values:\n  ${line}\n` +
        'Restore the fields in the model, or remove the values permanently with: repo migrate --drop-fields',
    );
    const again = await site.open(letter(NOTE));
    expect(await count(again, `SELECT count(*) FROM node WHERE document LIKE '%"field_remark":[{"value"%'`)).toBe(2);
  });

  it('is rejected if only a previous revision has the values', async () => {
    const site = await createSite();
    const repository = await site.open(letter(NOTE));
    const id = await createLetter(repository, { field_remark: [{ value: 'one' }] });
    await changeLetter(repository, id, { field_remark: [] });
    await expect(site.open(letter(''))).rejects.toThrow(
      'field_remark is no longer in the model; it holds values in 1 entity',
    );
  });

  it('removes values from documents, previous revisions and index with dropsFields', async () => {
    const site = await createSite();
    const repository = await site.open(letter(NOTE + FRIEND));
    const friend = await createLetter(repository, {});
    const id = await createLetter(repository, {
      field_place: [{ value: 'Bern' }],
      field_remark: [{ value: 'one' }],
      field_friend: [{ target_id: friend }],
    });
    const former = (await read(repository, id)).head.revisionId as number;
    await changeLetter(repository, id, { field_place: [{ value: 'Basel' }] });
    await site.open(letter(''), true);
    const back = await site.open(letter(NUMBER + FRIEND));
    const members = await documentOf(back, id);
    expect(members.field_place).toEqual([{ value: 'Basel' }]);
    expect(members.field_remark).toEqual([]);
    expect(members.field_friend).toEqual([]);
    expect(await count(back, "SELECT count(*) FROM reference WHERE field = 'field_friend'")).toBe(0);
    const revision = await findRevision(back.services, await read(back, id), former);
    const held = JSON.parse(revision?.document ?? '{}') as FieldValues;
    expect(held.field_place).toEqual([{ value: 'Bern' }]);
    expect(held.field_remark).toEqual([]);
    expect(held.field_friend).toEqual([]);
    await changeLetter(back, id, { field_remark: [{ value: 7 }] });
    expect((await documentOf(back, id)).field_remark).toEqual([{ value: 7 }]);
  });

  it('hides content of a missing type until the type returns', async () => {
    const site = await createSite();
    const id = await createLetter(await site.open(letter(NOTE)), { field_remark: [{ value: 'one' }] });
    const without = await site.open('node_types: {}\n', true);
    expect(await without.api.findContent('node', id)).toBeUndefined();
    await expect(site.open(letter(NUMBER))).rejects.toThrow(
      'field_remark is integer now and was string; it holds values in 1 entity',
    );
    expect((await documentOf(await site.open(letter(NOTE)), id)).field_remark).toEqual([{ value: 'one' }]);
  });

  it('reads no values if the model is unchanged', async () => {
    const site = await createSite();
    const first = await site.open(letter(NOTE));
    const before =
      (await count(first, 'SELECT sum(version) FROM node')) + (await count(first, 'SELECT count(*) FROM setting'));
    const second = await site.open(letter(NOTE));
    expect(
      (await count(second, 'SELECT sum(version) FROM node')) + (await count(second, 'SELECT count(*) FROM setting')),
    ).toBe(before);
  });
});
