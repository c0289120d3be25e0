import { expect, it } from 'bun:test';
import { knownPermissions } from '../../../../src/model/permissions.ts';
import { permissionTable } from '../../../../src/pages/admin/permissions-page.tsx';
import { loadTestModel } from '../../../support/content-model.ts';

it('permissionTable lists every permission once', async () => {
  const model = await loadTestModel();
  const { nodeTypes, mediaTypes, vocabularies, paragraphTypes, textFormats } = model;
  const known = knownPermissions({
    nodeTypes: nodeTypes.keys(),
    mediaTypes: mediaTypes.keys(),
    vocabularies: vocabularies.keys(),
    paragraphTypes: paragraphTypes.keys(),
    textFormats: textFormats.keys(),
  });
  const shown = permissionTable(model).groups.flatMap(({ rows }) => rows.map(({ name }) => name));
  expect([...shown].sort()).toEqual([...known].sort());
});
